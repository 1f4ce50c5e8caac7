// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** One thread sends into a shared ring and another receives: the packet arrives complete and once. */
@JCStressTest
@Outcome(id = "0, 40", expect = Expect.ACCEPTABLE, desc = "looked too early, and found afterwards")
@Outcome(id = "40, 0", expect = Expect.ACCEPTABLE, desc = "found at once")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost, doubled or torn")
@State
public class ShmHandoverStress {
    private final ShmStation station = ShmStation.take();

    @Actor
    public void send() {
        station.send();
    }

    @Actor
    public void receive(II_Result result) {
        result.r1 = station.receive();
    }

    @Arbiter
    public void rest(II_Result result) {
        result.r2 = station.receive();
        station.giveBack();
    }
}
