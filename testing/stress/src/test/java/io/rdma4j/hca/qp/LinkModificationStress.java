// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The sender of a link goes to the error state while it posts: the request completes once, and a message that it sent
 * is whole.
 */
@JCStressTest
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "sent before")
@Outcome(
        id = {"5, 0", "5, 1"},
        expect = Expect.ACCEPTABLE,
        desc = "flushed, before or after it was sent")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost, doubled or torn")
@State
public class LinkModificationStress {
    private final LinkStation station = LinkStation.take();

    public LinkModificationStress() {
        station.postReceive(0);
    }

    @Actor
    public void post() {
        station.post(1);
    }

    @Actor
    public void modify() {
        station.from.qp.modify(Endpoint.only(QpState.ERR));
    }

    @Arbiter
    public void end(II_Result result) {
        List<WorkCompletion> sent = station.from.awaitSends(1);
        sent.addAll(station.from.sendCq.poll(1));
        List<WorkCompletion> arrived = station.to.receiveCq.poll(2);
        result.r1 = sent.size() == 1 ? sent.getFirst().status().code() : -1;
        result.r2 = arrived.stream().mapToInt(station::arrived).sum();
        station.close();
    }
}
