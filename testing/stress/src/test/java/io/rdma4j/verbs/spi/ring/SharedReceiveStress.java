// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The application posts a receive to a shared receive queue while a message takes one. */
@JCStressTest
@Outcome(id = "0, 7", expect = Expect.ACCEPTABLE, desc = "the message came too early")
@Outcome(id = "7, 0", expect = Expect.ACCEPTABLE, desc = "the message has the receive")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost, doubled or torn")
@State
public class SharedReceiveStress {
    private final SharedReceiveRing ring = new SharedReceiveRing(1, 1, 0, _ -> {});
    private final RingMemory taken = RingMemory.allocate(ring.elementBytes());

    @Actor
    public void post() {
        ring.startReceive().receive(7).sge(7, 7, 7).complete();
    }

    @Actor
    public void message(II_Result result) {
        result.r1 = take();
    }

    @Arbiter
    public void rest(II_Result result) {
        result.r2 = take();
    }

    private int take() {
        if (!ring.take(taken, 0)) {
            return 0;
        }
        boolean whole = ReceiveQueue.numSge(ReceiveQueue.sizes(taken, 0)) == 1
                && ReceiveQueue.length(ReceiveQueue.sizes(taken, 0)) == 7;
        return whole ? (int) ReceiveQueue.wrId(taken, 0) : -1;
    }
}
