// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** The producer overwrites a slot only after the consumer has read it and published its index. */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "the element as it was when it was given back")
@Outcome(expect = Expect.FORBIDDEN, desc = "the next element but one, in the same slot")
@State
public class RingReuseStress {
    private final Ring ring = new Ring(1, Integer.BYTES);

    public RingReuseStress() {
        ring.memory().set(ring.offset(0), 1);
        ring.publishProducer(1);
    }

    @Actor
    public void consume(I_Result result) {
        result.r1 = (int) ring.memory().get(ring.offset(0));
        ring.publishConsumer(1);
    }

    @Actor
    public void produce() {
        if (ring.acquireConsumer() == 1) {
            ring.memory().set(ring.offset(0), 2);
        }
    }
}
