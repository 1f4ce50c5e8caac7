// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The application arms the limit of a shared receive queue while a message takes a receive: the event is raised at most
 * once, and raising it disarms the limit.
 */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "the event came, and the watermark is disarmed")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "armed too late: the next message passes it")
@Outcome(expect = Expect.FORBIDDEN, desc = "an event without disarming, or none with it")
@State
public class SharedReceiveLimitStress {
    private int events;
    private final SharedReceiveRing ring = new SharedReceiveRing(1, 1, 0, _ -> events++);
    private final RingMemory taken = RingMemory.allocate(ring.elementBytes());

    public SharedReceiveLimitStress() {
        ring.startReceive().receive(1).complete();
    }

    @Actor
    public void message() {
        ring.take(taken, 0);
    }

    @Actor
    public void arm() {
        ring.arm(1);
    }

    @Arbiter
    public void end(II_Result result) {
        result.r1 = events;
        result.r2 = ring.attributes().limit();
    }
}
