// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Two threads poll for the messages of a link: each message completes once. */
@JCStressTest
@Outcome(id = "6", expect = Expect.ACCEPTABLE, desc = "three messages")
@Outcome(expect = Expect.FORBIDDEN, desc = "a message is lost or doubled")
@State
public class LinkPollersStress {
    private static final int MESSAGES = 3;

    private final LinkStation station = LinkStation.take();
    private final AtomicInteger sum = new AtomicInteger();
    private final AtomicInteger found = new AtomicInteger();

    public LinkPollersStress() {
        for (int i = 0; i < MESSAGES; i++) {
            station.postReceive(i);
        }
        for (int i = 1; i <= MESSAGES; i++) {
            station.post(i);
        }
    }

    private void poll() {
        for (WorkCompletion completion : station.to.receiveCq.poll(2)) {
            sum.addAndGet(station.arrived(completion));
            found.incrementAndGet();
        }
    }

    @Actor
    public void one() {
        poll();
    }

    @Actor
    public void other() {
        poll();
    }

    @Arbiter
    public void end(I_Result result) {
        station.from.awaitSends(MESSAGES);
        while (found.get() < MESSAGES) {
            poll();
        }
        poll();
        result.r1 = sum.get();
        station.giveBack();
    }
}
