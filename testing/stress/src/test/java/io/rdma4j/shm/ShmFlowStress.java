// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** The sender sends several packets while the receiver takes all that it finds. */
@JCStressTest
@Outcome(id = "120", expect = Expect.ACCEPTABLE, desc = "three packets")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost, doubled or torn")
@State
public class ShmFlowStress {
    private final ShmStation station = ShmStation.take();

    @Actor
    public void send() {
        station.send();
        station.send();
        station.send();
    }

    @Actor
    public void receive(I_Result result) {
        result.r1 = station.receive() + station.receive() + station.receive();
    }

    @Arbiter
    public void rest(I_Result result) {
        result.r1 += station.receive() + station.receive() + station.receive();
        station.giveBack();
    }
}
