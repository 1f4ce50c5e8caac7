// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A resize moves the queue to another ring while the application polls. */
@JCStressTest
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "both completions, in their order")
@Outcome(expect = Expect.FORBIDDEN, desc = "a completion was lost, or came twice")
@State
public class CompletionPollResizeStress {
    private final CompletionStation station = new CompletionStation(3);

    public CompletionPollResizeStress() {
        station.post(1);
        station.post(2);
    }

    @Actor
    public void poll(III_Result result) {
        result.r1 = station.poll();
    }

    @Actor
    public void resize() {
        station.resize(7);
    }

    @Arbiter
    public void rest(III_Result result) {
        result.r2 = station.poll();
        result.r3 = station.poll();
    }
}
