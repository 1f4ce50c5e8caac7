// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools.dropin;

import io.rdma4j.devtools.dropin.CaseResult.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Plays the cases of the drop-in library, one after another. */
public final class DropinSuite {
    private final ProgramRunner programs;
    private final List<SuiteCase> cases = new ArrayList<>();
    private final PythonCases python;
    private final Consumer<CaseResult> listener;

    /**
     * @param programs starts the programs
     * @param library the library under test
     * @param tree the unpacked packages, see {@link ProgramTree}
     * @param layout source of the program that prints the layout of the structures
     * @param listener gets each result at once
     */
    public DropinSuite(
            ProgramRunner programs, Path library, ProgramTree tree, Path layout, Consumer<CaseResult> listener) {
        this.programs = programs;
        this.cases.addAll(LibraryCases.all(library, tree.directory(), layout));
        this.cases.addAll(ProgramCases.all());
        this.cases.addAll(RdmaCmCases.all());
        this.python = new PythonCases(tree.directory());
        this.listener = listener;
    }

    /** Plays one case of each kind, in a few seconds. */
    public void playFew() throws IOException, InterruptedException {
        playCases(SuiteCase::isQuick);
        playLeftovers();
    }

    /**
     * Plays the cases that are chosen.
     *
     * @param chosen gets {@code STEP/NAME} of each case; rdma-core's tests run if it accepts {@code rdma-core}
     */
    public void playAll(Predicate<String> chosen) throws IOException, InterruptedException {
        playCases(one -> chosen.test(one.label()));
        if (chosen.test(PythonCases.STEP)) {
            playPython();
        }
        playLeftovers();
    }

    private void playCases(Predicate<SuiteCase> chosen) throws IOException, InterruptedException {
        for (SuiteCase one : cases) {
            if (chosen.test(one)) {
                listener.accept(play(one));
            }
        }
    }

    private CaseResult play(SuiteCase one) throws IOException, InterruptedException {
        long startNs = System.nanoTime();
        Outcome outcome = Outcome.PASS;
        String detail;
        try {
            detail = one.body().run(programs);
        } catch (CaseFailure e) {
            outcome = Outcome.FAIL;
            detail = String.valueOf(e.getMessage());
        }
        return new CaseResult(one.step(), one.name(), outcome, (System.nanoTime() - startNs) / 1e9, detail);
    }

    private void playPython() throws IOException, InterruptedException {
        try {
            python.run(programs).forEach(listener);
        } catch (CaseFailure e) {
            listener.accept(
                    new CaseResult(PythonCases.STEP, "run_tests.py", Outcome.FAIL, 0, String.valueOf(e.getMessage())));
        }
    }

    /** No program may leave a file behind. */
    private void playLeftovers() throws IOException {
        List<String> left = programs.leftovers();
        listener.accept(new CaseResult(
                "end",
                "nothing is left behind",
                left.isEmpty() ? Outcome.PASS : Outcome.FAIL,
                0,
                String.join(" ", left)));
    }
}
