// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A consumer that reads the producer index also sees all writes before it. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "nothing is there yet")
@Outcome(id = "1, 42", expect = Expect.ACCEPTABLE, desc = "the element is there, whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "an element that was not written yet")
@State
public class RingHandoverStress {
    private final Ring ring = new Ring(1, Integer.BYTES);

    @Actor
    public void produce() {
        ring.memory().set(ring.offset(0), 42);
        ring.publishProducer(1);
    }

    @Actor
    public void consume(II_Result result) {
        result.r1 = ring.acquireProducer();
        result.r2 = result.r1 == 0 ? 0 : (int) ring.memory().get(ring.offset(0));
    }
}
