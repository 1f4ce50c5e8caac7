// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A buffer passes from one thread to another through a ring: the second thread sees the writes of the first. */
@JCStressTest
@Outcome(id = "0, 13", expect = Expect.ACCEPTABLE, desc = "taken too early, and found afterwards")
@Outcome(id = "13, 0", expect = Expect.ACCEPTABLE, desc = "taken at once, with its content")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost, doubled, or not yet as long as it is")
@State
public class BufferRingStress {
    private final BufferStation station = BufferStation.take();
    private final SkBuffRing ring = new SkBuffRing(1);

    @Actor
    public void add() {
        station.first.put(13);
        ring.add(station.first);
    }

    @Actor
    public void take(II_Result result) {
        result.r1 = take();
    }

    @Arbiter
    public void rest(II_Result result) {
        result.r2 = take();
        station.first.trim(0);
        station.giveBack();
    }

    private int take() {
        SkBuff skb = ring.take();
        return skb == null ? 0 : skb.len();
    }
}
