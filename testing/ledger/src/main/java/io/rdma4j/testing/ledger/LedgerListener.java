// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.ledger;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Records the proofs of each test class at the end of the run.
 *
 * <p>JUnit's launcher finds it by {@code ServiceLoader}. It writes to the directory in the system property {@value
 * #DIRECTORY}, and does nothing without it (in an IDE).
 */
public final class LedgerListener implements TestExecutionListener {
    /** System property: directory of the files. */
    static final String DIRECTORY = "rdma4j.ledger.directory";

    /** System property: the {@link Ground} of the module's tests; default {@code core}. */
    static final String GROUND = "rdma4j.ledger.ground";

    private final @Nullable String directory;
    private final Ground ground;
    private final Map<TestIdentifier, TestExecutionResult.Status> results = new HashMap<>();

    /** Called by {@code ServiceLoader}. */
    public LedgerListener() {
        this(System.getProperty(DIRECTORY), Ground.parse(System.getProperty(GROUND, Ground.CORE.toString())));
    }

    LedgerListener(@Nullable String directory, Ground ground) {
        this.directory = directory;
        this.ground = ground;
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        results.put(test, result.getStatus());
    }

    @Override
    public synchronized void testPlanExecutionFinished(TestPlan plan) {
        if (directory == null) {
            return;
        }
        LedgerDirectory ledger = new LedgerDirectory(Path.of(directory));
        ledger.forgetClassesThatAreGone();
        PlanVerdict verdict = new PlanVerdict(plan, results, ground);
        for (TestIdentifier root : plan.getRoots()) {
            for (TestIdentifier child : plan.getChildren(root)) {
                if (child.getSource().orElse(null) instanceof ClassSource source) {
                    ledger.write(source.getClassName(), verdict.proved(child));
                }
            }
        }
        results.clear();
    }
}
