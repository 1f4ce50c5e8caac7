// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A packet arrives while the receiver starts to sleep: the receiver finds the packet, or the sender must wake it. */
@JCStressTest
@Outcome(
        id = {"0, 0", "1, 1", "1, 0"},
        expect = Expect.ACCEPTABLE,
        desc = "awake, woken, or both")
@Outcome(id = "0, 1", expect = Expect.FORBIDDEN, desc = "it sleeps, and nobody wakes it")
@State
public class ShmWakeStress {
    private final ShmStation station = ShmStation.take();

    @Actor
    public void send(II_Result result) {
        station.send();
        result.r1 = station.mustWake();
    }

    @Actor
    public void fallAsleep(II_Result result) {
        result.r2 = station.fallAsleep();
    }

    @Arbiter
    public void end(II_Result result) {
        station.giveBack();
    }
}
