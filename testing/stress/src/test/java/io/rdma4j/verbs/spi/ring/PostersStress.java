// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two threads post to one send queue. */
@JCStressTest
@Outcome(
        id = {"2, 1, 2", "2, 2, 1"},
        expect = Expect.ACCEPTABLE,
        desc = "both requests, one behind the other")
@Outcome(expect = Expect.FORBIDDEN, desc = "a request is lost, doubled or torn")
@State
public class PostersStress {
    private final SendStation station = new SendStation();

    @Actor
    public void one() {
        station.post(1);
    }

    @Actor
    public void other() {
        station.post(2);
    }

    @Arbiter
    public void count(III_Result result) {
        result.r1 = station.waiting();
        result.r2 = station.wrId(0);
        result.r3 = station.wrId(1);
    }
}
