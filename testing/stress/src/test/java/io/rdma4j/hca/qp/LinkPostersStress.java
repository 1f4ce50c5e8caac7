// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two threads post to a linked queue pair: both messages arrive, and complete in the order of arrival. */
@JCStressTest
@Outcome(
        id = {"1, 2, 12", "2, 1, 21"},
        expect = Expect.ACCEPTABLE,
        desc = "both messages, one behind the other")
@Outcome(expect = Expect.FORBIDDEN, desc = "a message is lost, doubled or torn, or the order differs")
@State
public class LinkPostersStress {
    private final LinkStation station = LinkStation.take();

    public LinkPostersStress() {
        station.postReceive(0);
        station.postReceive(1);
    }

    @Actor
    public void one() {
        station.post(1);
    }

    @Actor
    public void other() {
        station.post(2);
    }

    @Arbiter
    public void end(III_Result result) {
        List<WorkCompletion> arrived = station.to.awaitReceives(2);
        List<WorkCompletion> sent = station.from.awaitSends(2);
        result.r1 = station.arrived(arrived.getFirst());
        result.r2 = station.arrived(arrived.getLast());
        result.r3 = (int) (10 * sent.getFirst().wrId() + sent.getLast().wrId());
        station.giveBack();
    }
}
