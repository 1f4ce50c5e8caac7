// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** As {@link LoopHandoverStress}, but a thread that finds the loop free enters it with its work. */
@JCStressTest
@Outcome(id = "3", expect = Expect.ACCEPTABLE, desc = "both pieces of work are done when both threads have gone")
@Outcome(expect = Expect.FORBIDDEN, desc = "work was left behind")
@State
public class LoopEntryStress {
    private final LoopStation station = new LoopStation();

    @Actor
    public void one() {
        station.bring(1);
    }

    @Actor
    public void other() {
        station.bring(2);
    }

    @Arbiter
    public void done(I_Result result) {
        result.r1 = station.done();
    }
}
