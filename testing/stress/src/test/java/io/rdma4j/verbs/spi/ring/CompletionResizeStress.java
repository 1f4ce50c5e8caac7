// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A resize moves the queue to another ring while the engine posts. */
@JCStressTest
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "both completions, in their order")
@Outcome(expect = Expect.FORBIDDEN, desc = "a completion stayed in the former ring, or came twice")
@State
public class CompletionResizeStress {
    private final CompletionStation station = new CompletionStation(3);

    public CompletionResizeStress() {
        station.post(1);
    }

    @Actor
    public void post() {
        station.post(2);
    }

    @Actor
    public void resize() {
        station.resize(7);
    }

    @Arbiter
    public void rest(III_Result result) {
        result.r1 = station.poll();
        result.r2 = station.poll();
        result.r3 = station.poll();
    }
}
