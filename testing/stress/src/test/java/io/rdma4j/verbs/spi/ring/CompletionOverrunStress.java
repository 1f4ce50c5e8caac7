// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * The engine posts to a full queue while the application polls: the completion is in the queue, or the queue reports
 * CQ_ERR.
 */
@JCStressTest
@Outcome(id = "1, 1, 2, 0", expect = Expect.ACCEPTABLE, desc = "there was room")
@Outcome(id = "0, 1, 0, 1", expect = Expect.ACCEPTABLE, desc = "there was none, and CQ_ERR was raised")
@Outcome(expect = Expect.FORBIDDEN, desc = "a completion was overwritten, or lost without a word")
@State
public class CompletionOverrunStress {
    private final CompletionStation station = new CompletionStation(1);

    public CompletionOverrunStress() {
        station.post(1);
    }

    @Actor
    public void post(IIII_Result result) {
        result.r1 = station.post(2);
    }

    @Actor
    public void poll(IIII_Result result) {
        result.r2 = station.poll();
    }

    @Arbiter
    public void rest(IIII_Result result) {
        result.r3 = station.poll();
        result.r4 = station.errors.get();
    }
}
