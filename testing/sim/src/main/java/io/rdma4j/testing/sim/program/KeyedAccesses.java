// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.verbs.MemoryRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Keyed accesses of a program: those to the peer's region, and perhaps one to its own memory for responses. */
final class KeyedAccesses {
    private final List<KeyedAccess> remote = new ArrayList<>();
    private final @Nullable KeyedAccess landing;

    /**
     * @param initiator endpoint that runs the program
     * @param target endpoint that owns the peer's region
     */
    KeyedAccesses(
            WorkloadProgram program,
            ProgramMemory memory,
            SimEndpoint initiator,
            SimEndpoint target,
            SplittableRandom random) {
        MemoryRegion region = memory.remote().region();
        for (KeyedAccess.Kind kind : program.limits().accesses()) {
            remote.add(target.closing(new KeyedAccess(kind, target.protectionDomain(), region, random.split())));
        }
        landing = program.hasResponseAccess()
                ? initiator.closing(new KeyedAccess(
                        KeyedAccess.Kind.FAST_REGION,
                        initiator.protectionDomain(),
                        memory.local().region(),
                        random.split()))
                : null;
    }

    /** Accesses to the peer's region; the peer maintains them. */
    List<KeyedAccess> remote() {
        return remote;
    }

    /** Accesses that this side maintains. */
    List<KeyedAccess> own() {
        return landing == null ? List.of() : List.of(landing);
    }

    KeyedAccess of(Step step) {
        return remote.get(step.access().number());
    }

    /** Access to the memory for the response of a READ with invalidate. */
    KeyedAccess landing() {
        if (landing == null) {
            throw new IllegalStateException("the program writes through no key");
        }
        return landing;
    }

    /** True if the accesses that a step needs are open. */
    boolean isReady(Step step) {
        return of(step).isOpen(step.access().closedBefore())
                && (step.landing() < 0 || landing().isOpen(step.landing()));
    }

    /** Handles a step that succeeded or was executed: releases the accesses whose last user it was. */
    void onSuccess(Step step) {
        if (step.has(StepFlag.CLOSES)) {
            of(step).release();
        }
    }
}
