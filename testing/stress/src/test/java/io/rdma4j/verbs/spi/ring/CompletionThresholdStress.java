// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * The application requests an event at one completion, counting those that already wait, while the engine posts one.
 * Exactly one event is raised.
 */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "one event")
@Outcome(expect = Expect.FORBIDDEN, desc = "a lost wake-up, or two")
@State
public class CompletionThresholdStress {
    private final CompletionStation station = new CompletionStation(1);

    @Actor
    public void post() {
        station.post(1);
    }

    @Actor
    public void arm() {
        station.ring.requestNotificationAt(1);
    }

    @Arbiter
    public void events(I_Result result) {
        result.r1 = station.events.get();
    }
}
