// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.mr;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.Capability;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.conformance.harness.RegionTraffic;
import io.rdma4j.testing.conformance.harness.XrcSide;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcStatus;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Cases for region flags that change how memory is accessed but not the data: {@code test_relaxed_ordering}, and the
 * services of {@code test_odp} that {@link OnDemandCases} does not cover.
 */
public abstract class RegionFlagCases extends ConformanceCases {
    private static final int ROUTE = 40;
    private static final int LENGTH = 1000;

    protected RegionFlagCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    private MemoryRegion region(ProtectionDomain pd, AccessFlag flag) {
        if (flag == AccessFlag.ON_DEMAND) {
            require(Capability.ON_DEMAND_PAGING);
        }
        Set<AccessFlag> access = new HashSet<>(RegionTraffic.RIGHTS);
        access.add(flag);
        MemorySegment memory = target().allocate(4 * RegionTraffic.LENGTH, Long.BYTES);
        return closing(pd.registerMemory(memory, access));
    }

    private void awaitSuccess(CompletionQueue cq) {
        awaitUnderCursor(cq, wc -> assertThat(wc.status()).isEqualTo(WcStatus.SUCCESS));
    }

    /** {@code test_ro_rc_traffic}, {@code test_ro_mr_ex_traffic}. */
    @ParameterizedTest
    @EnumSource(names = {"RELAXED_ORDERING", "ON_DEMAND"})
    void reliableConnectionsReachSuchARegion(AccessFlag flag) {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        new RegionTraffic(pair, region(pair.b().pd, flag)).everything(300);
    }

    /** {@code test_ro_ud_traffic}, {@code test_odp_ud_traffic}. */
    @ParameterizedTest
    @EnumSource(names = {"RELAXED_ORDERING", "ON_DEMAND"})
    void datagramsComeFromSuchARegionAndLandInOne(AccessFlag flag) {
        QpPair pair = connected(EndpointSetup.DEFAULT.type(QpType.UD), LinkSetup.DEFAULT);
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        MemoryRegion from = region(a.pd, flag);
        MemoryRegion to = region(b.pd, flag);
        AddressHandle path = closing(a.pd.createAddressHandle(a.pathTo(b)));
        Bytes.fill(from.segment().asSlice(8, LENGTH), 1);
        b.qp.startReceive().receive(1).sge(to.lkey(), to.iova(), ROUTE + LENGTH).complete();
        a.qp.startSend()
                .signaled()
                .send()
                .destination(path, b.qp.qpn(), Transitions.QKEY)
                .sge(from.lkey(), from.iova() + 8, LENGTH)
                .complete();
        awaitSuccess(a.sendCq);
        awaitSuccess(b.receiveCq);
        Bytes.assertHolds(to.segment().asSlice(ROUTE, LENGTH), 1);
    }

    /** {@code test_ro_xrc_traffic}, {@code test_odp_xrc_traffic}. */
    @ParameterizedTest
    @EnumSource(names = {"RELAXED_ORDERING", "ON_DEMAND"})
    void extendedConnectionsReachSuchARegion(AccessFlag flag) {
        require(DeviceCapability.XRC);
        XrcSide a = closing(new XrcSide(target(), target().first()));
        XrcSide b = closing(new XrcSide(target(), target().second()));
        a.connectTo(b);
        b.connectTo(a);
        MemoryRegion from = region(a.first.pd, flag);
        MemoryRegion to = region(b.first.pd, flag);
        Bytes.fill(from.segment().asSlice(0, LENGTH), 2);
        b.first.srq.startReceive().receive(1).sge(to.lkey(), to.iova(), LENGTH).complete();
        a.initiator
                .startSend()
                .signaled()
                .send()
                .xrcSrq(b.first.srq.number())
                .sge(from.lkey(), from.iova(), LENGTH)
                .complete();
        awaitSuccess(a.sendCq);
        awaitSuccess(b.receiveCq);
        Bytes.assertHolds(to.segment().asSlice(0, LENGTH), 2);
    }
}
