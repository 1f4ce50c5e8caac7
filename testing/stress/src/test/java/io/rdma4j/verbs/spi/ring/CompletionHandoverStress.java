// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The engine posts while the application polls: the completion arrives complete and once. */
@JCStressTest
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "polled too early, and found afterwards")
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "found at once")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost, doubled or torn")
@State
public class CompletionHandoverStress {
    private final CompletionStation station = new CompletionStation(1);

    @Actor
    public void post() {
        station.post(1);
    }

    @Actor
    public void poll(II_Result result) {
        result.r1 = station.poll();
    }

    @Arbiter
    public void rest(II_Result result) {
        result.r2 = station.poll();
    }
}
