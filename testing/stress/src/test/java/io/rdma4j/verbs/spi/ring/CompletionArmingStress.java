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
 * The application requests an event while the engine posts: an event is raised, or the request returns that completions
 * wait. Without either the application would sleep forever.
 */
@JCStressTest
@Outcome(
        id = {"0, 1", "1, 0", "1, 1"},
        expect = Expect.ACCEPTABLE,
        desc = "an event, or the word that completions wait, or both")
@Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "a lost wake-up")
@Outcome(expect = Expect.FORBIDDEN, desc = "more than one event for one request")
@State
public class CompletionArmingStress {
    private final CompletionStation station = new CompletionStation(1);

    @Actor
    public void post() {
        station.post(1);
    }

    @Actor
    public void arm(II_Result result) {
        result.r2 = station.ring.requestNotification(false) ? 1 : 0;
    }

    @Arbiter
    public void events(II_Result result) {
        result.r1 = station.events.get();
    }
}
