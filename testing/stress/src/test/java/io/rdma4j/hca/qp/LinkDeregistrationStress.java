// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.wr.WcStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A region is deregistered while the peer of a link writes to it: later no byte changes. */
@JCStressTest
@Outcome(id = "0, 7, 7", expect = Expect.ACCEPTABLE, desc = "written before")
@Outcome(id = "10, 0, 0", expect = Expect.ACCEPTABLE, desc = "refused: REM_ACCESS_ERR")
@Outcome(expect = Expect.FORBIDDEN, desc = "written after the end of the region, or a wrong status")
@State
public class LinkDeregistrationStress {
    private static final int LAST = LinkStation.PAGE - 1;

    private final LinkStation station = LinkStation.take();
    private final MemorySegment target = station.target.fill((byte) 0);
    private final MemoryRegion region =
            station.to.pd.registerMemory(target, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
    private int atEnd;

    @Actor
    public void write() {
        station.from.memory.set(ValueLayout.JAVA_BYTE, LAST, (byte) 7);
        station.from
                .qp
                .startSend()
                .signaled()
                .rdmaWrite(region.rkey(), region.iova())
                .sge(station.from.mr.lkey(), station.from.memory.address(), LinkStation.PAGE)
                .complete();
    }

    @Actor
    public void deregister() {
        region.close();
        atEnd = target.get(ValueLayout.JAVA_BYTE, LAST);
    }

    @Arbiter
    public void end(III_Result result) {
        WcStatus status = station.from.awaitSends(1).getFirst().status();
        result.r1 = status.code();
        result.r2 = atEnd;
        result.r3 = target.get(ValueLayout.JAVA_BYTE, LAST);
        if (status == WcStatus.SUCCESS) {
            station.giveBack();
        } else {
            station.close();
        }
    }
}
