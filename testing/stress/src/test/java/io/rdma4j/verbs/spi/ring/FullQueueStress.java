// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import io.rdma4j.base.RdmaException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two threads post to a queue with room for one request: one of the two posts fails, in the thread that posted it. */
@JCStressTest
@Outcome(
        id = {"1, 0, 1", "0, 1, 2"},
        expect = Expect.ACCEPTABLE,
        desc = "one is posted, the other knows that it is not")
@Outcome(expect = Expect.FORBIDDEN, desc = "both or neither were told that theirs is posted")
@State
public class FullQueueStress {
    private final SendStation station = new SendStation();

    public FullQueueStress() {
        for (int free = station.queue.ring().capacity(); free > 1; free--) {
            station.post(0);
        }
    }

    private int tryPost(long wrId) {
        try {
            station.post(wrId);
            return 1;
        } catch (RdmaException e) {
            return 0;
        }
    }

    @Actor
    public void one(III_Result result) {
        result.r1 = tryPost(1);
    }

    @Actor
    public void other(III_Result result) {
        result.r2 = tryPost(2);
    }

    @Arbiter
    public void last(III_Result result) {
        result.r3 = station.wrId(station.queue.ring().capacity() - 1);
    }
}
