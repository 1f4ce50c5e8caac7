// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.transport.memory.WindowKey;
import io.rdma4j.transport.port.QpPort;
import io.rdma4j.transport.port.SharedReceiveState;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.RingCompletionCursor;
import io.rdma4j.verbs.spi.ring.SharedReceiveRing;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.WrOpcode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Other services than RC, shared receives, and requests that are carried out locally allocate nothing, either. */
class ServiceAllocationTest {
    private static final int BYTES = 900;

    private static PairSettings settings() {
        return new PairSettings().rdma(4).mtu(Mtu.MTU_1024);
    }

    private static void postReceive(AllocationRig rig, TestRegion target) {
        rig.b
                .receives()
                .receive(1)
                .sge(target.lkey(), target.address(), BYTES + QpPort.ROUTE_BYTES)
                .complete();
    }

    private static void sendToEmptiedReceives(PairSettings settings) {
        try (AllocationRig rig = new AllocationRig(settings)) {
            TestRegion near = rig.a.region(BYTES);
            TestRegion far = rig.b.region(BYTES + QpPort.ROUTE_BYTES);
            rig.assertAllocatesNothing(() -> {
                postReceive(rig, far);
                rig.a.sends().send().sge(near.lkey(), near.address(), BYTES).complete();
                return 1;
            });
            assertThat(rig.received).isEqualTo(rig.sent);
        }
    }

    @Test
    void unreliableConnections() {
        sendToEmptiedReceives(settings().type(QpType.UC));
    }

    @Test
    void sharedReceives() {
        sendToEmptiedReceives(settings().sharedReceives(7));
    }

    @Test
    void datagrams() {
        PairSettings settings = settings().type(QpType.UD);
        try (AllocationRig rig = new AllocationRig(settings)) {
            TestRegion.Piece near = rig.a.region(BYTES).first(BYTES);
            TestRegion far = rig.b.region(BYTES + QpPort.ROUTE_BYTES);
            TestRegion.Piece[] pieces = {near};
            rig.assertAllocatesNothing(() -> {
                postReceive(rig, far);
                rig.a.datagram(1, EnginePair.QPN_B, settings.qkey, pieces);
                return 1;
            });
            assertThat(rig.received).isEqualTo(rig.sent);
        }
    }

    @Test
    void datagramsWithChecksums() {
        PairSettings settings = settings().type(QpType.UD);
        try (AllocationRig rig = new AllocationRig(settings)) {
            TestRegion source = rig.a.region(BYTES);
            IpoibDatagram.udp(source.memory(), 0, BYTES);
            TestRegion.Piece[] pieces = {source.first(BYTES)};
            TestRegion far = rig.b.region(BYTES + QpPort.ROUTE_BYTES);
            rig.assertAllocatesNothing(() -> {
                postReceive(rig, far);
                SendBatch batch = rig.a.sends().ipChecksum().send();
                rig.a.datagram(batch, Endpoint.ADDRESS_HANDLE, EnginePair.QPN_B, settings.qkey, pieces);
                return 1;
            });
            assertThat(IpoibDatagram.isRight(far.memory(), QpPort.ROUTE_BYTES)).isTrue();
        }
    }

    @Test
    void largeSends() {
        PairSettings settings = settings().type(QpType.UD).createFlags(QpCreateFlag.IPOIB_UD_LSO);
        try (AllocationRig rig = new AllocationRig(settings)) {
            TestRegion.Piece[] pieces = {rig.a.region(BYTES).first(BYTES)};
            TestRegion far = rig.b.region(BYTES + QpPort.ROUTE_BYTES);
            byte[] header = new byte[20];
            rig.assertAllocatesNothing(() -> {
                postReceive(rig, far);
                postReceive(rig, far);
                RingForgery.largeSend(rig.a, 1, header, BYTES / 2, settings.qkey, pieces);
                return 1;
            });
            assertThat(rig.received).isEqualTo(2 * rig.sent);
        }
    }

    @Test
    void extendedReliableConnections() {
        try (AllocationRig rig = new AllocationRig(settings().xrc())) {
            SharedReceiveRing ring = new SharedReceiveRing(7, 1, 0, _ -> {});
            CompletionRing completions = CompletionRing.silent(15);
            RingCompletionCursor cursor = new RingCompletionCursor(completions, () -> {});
            rig.b.xrcQueues.put(1, new SharedReceiveState(ring, rig.b.protectionDomain, completions));
            TestRegion near = rig.a.region(BYTES);
            TestRegion far = rig.b.region(BYTES);
            rig.assertAllocatesNothing(() -> {
                AllocationRig.poll(cursor);
                ring.startReceive()
                        .receive(1)
                        .sge(far.lkey(), far.address(), BYTES)
                        .complete();
                rig.a
                        .sends()
                        .send()
                        .xrcSrq(1)
                        .sge(near.lkey(), near.address(), BYTES)
                        .complete();
                return 1;
            });
        }
    }

    @Test
    void registrationBindingAndInvalidation() {
        try (AllocationRig rig = new AllocationRig(settings())) {
            int bindable = AccessFlag.LOCAL_WRITE.bit() | AccessFlag.MW_BIND.bit();
            TestRegion below = rig.a.region(BYTES, rig.a.protectionDomain, bindable);
            RegionKey fast = rig.a.keys.allocateFast(rig.a.protectionDomain);
            fast.map(List.of(below.memory()));
            WindowKey window = rig.a.keys.allocateWindow(rig.a.protectionDomain, true);
            rig.assertAllocatesNothing(() -> {
                int key = io.rdma4j.verbs.values.MemoryKeys.next(fast.key());
                RingForgery.range(rig.a, 1, WrOpcode.REG_MR, fast, key, 0, 0, BYTES, bindable);
                int shown = io.rdma4j.verbs.values.MemoryKeys.next(window.key());
                long start = below.address();
                RingForgery.range(rig.a, 2, WrOpcode.BIND_MW, window, shown, below.lkey(), start, BYTES, 0);
                rig.a.sends().localInvalidate(key).localInvalidate(shown).complete();
                return 4;
            });
        }
    }
}
