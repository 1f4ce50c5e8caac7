// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** As {@link LoopHandoverStress}, but the other thread owns the loop for an operation of the control path. */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "the work is done when both threads have gone")
@Outcome(expect = Expect.FORBIDDEN, desc = "work was left behind")
@State
public class LoopControlStress {
    private final LoopStation station = new LoopStation();

    @Actor
    public void post() {
        station.post(1);
    }

    @Actor
    public void control() {
        station.loop.exclusively(() -> {});
    }

    @Arbiter
    public void done(I_Result result) {
        result.r1 = station.done();
    }
}
