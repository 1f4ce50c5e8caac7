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
 * A thread posts while the device reads the queue for the last time: the device finds the request, or the doorbell is
 * set again. Tests the full fence of {@link Ring#publishProducerFully}.
 */
@JCStressTest
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "the device was through, and is called again")
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "the doorbell rang before, and the device finds the request")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "it finds the request, and is called once too often")
@Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "the request is forgotten")
@State
public class DoorbellStress {
    private final SendStation station = new SendStation();

    public DoorbellStress() {
        station.rung.set(true);
    }

    @Actor
    public void post() {
        station.post(1);
    }

    @Actor
    public void look(II_Result result) {
        station.rung.set(false);
        result.r1 = station.waiting();
    }

    @Arbiter
    public void end(II_Result result) {
        result.r2 = station.rung.get() ? 1 : 0;
    }
}
