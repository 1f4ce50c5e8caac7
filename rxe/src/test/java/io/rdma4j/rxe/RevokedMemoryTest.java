// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.verbs.FastMemoryRegion;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.Reregistration;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.kernel.DmaMapping;
import io.rdma4j.verbs.kernel.DmaTable;
import io.rdma4j.verbs.values.DmaDirection;
import io.rdma4j.verbs.values.GlobalRoute;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * After a region is deregistered its memory may be reused. Packets that wait to be sent from it are not read any more,
 * wherever they wait. Other packets are sent.
 */
class RevokedMemoryTest {
    private static final int LENGTH = 5000;

    private final Bench bench = new Bench(Set.of());

    @AfterEach
    void close() {
        bench.close();
    }

    private static MemorySegment memory() {
        return Arena.ofAuto().allocate(2 * LENGTH, 4096);
    }

    private static void send(Endpoint from, int lkey, long address) {
        from.qp.startSend().send().sge(lkey, address, LENGTH).complete();
    }

    static Stream<Consumer<MemoryRegion>> endings() {
        return Stream.of(
                MemoryRegion::close, mr -> mr.reregister(Reregistration.empty().withSegment(memory())));
    }

    /** Two packets are sent, the others wait in the interface below. */
    @ParameterizedTest
    @MethodSource("endings")
    void theRestOfATrainIsLost(Consumer<MemoryRegion> ending) {
        Endpoint from = bench.connected(Bench.PEER_V4, 14);
        try (MemoryRegion mr = from.pd.registerMemory(memory(), Set.of())) {
            bench.link.busyAfter(2);
            send(from, mr.lkey(), mr.address());
            bench.run();
            assertThat(bench.port.buffersInUse()).isEqualTo(1);

            ending.accept(mr);

            assertThat(bench.port.buffersInUse()).isZero();
            assertThat(bench.network.stats().txDropped()).isEqualTo(1);
            bench.link.busyAfter(Integer.MAX_VALUE);
            bench.run();
            assertThat(bench.link.sent).hasSize(2);
        }
    }

    /** No packet is sent: the interface did not accept the buffer. */
    @ParameterizedTest
    @MethodSource("endings")
    void aTrainThatTheLinkHasNotTakenIsLost(Consumer<MemoryRegion> ending) {
        Endpoint from = bench.connected(Bench.PEER_V4, 14);
        Endpoint other = bench.connected(Bench.PEER_V4, 14);
        try (MemoryRegion mr = from.pd.registerMemory(memory(), Set.of())) {
            bench.link.busyAfter(0);
            send(from, mr.lkey(), mr.address());
            bench.run();
            assertThat(bench.port.services().common().output().accepts()).isFalse();

            ending.accept(mr);

            assertThat(bench.port.services().common().output().accepts()).isTrue();
            assertThat(bench.port.buffersInUse()).isZero();
            bench.link.busyAfter(Integer.MAX_VALUE);
            other.postSend(1, 0, 8);
            bench.run();
            assertThat(bench.link.sent).hasSize(1);
        }
    }

    /** Packets of the device to itself wait until the next round. */
    @ParameterizedTest
    @MethodSource("endings")
    void aTrainToTheDeviceItselfIsLost(Consumer<MemoryRegion> ending) {
        Endpoint self = bench.endpoint();
        Gid own = Bench.LOCAL_V4;
        Bench.connect(self.qp, GlobalRoute.to(own, 0), 14);
        try (MemoryRegion mr = self.pd.registerMemory(memory(), Set.of())) {
            send(self, self.mr.lkey(), self.mr.address());
            send(self, mr.lkey(), mr.address());
            bench.rxeQp(self).engine().pollTransmit(bench.now, 64);
            assertThat(bench.port.buffersInUse()).isEqualTo(2);

            ending.accept(mr);

            assertThat(bench.port.buffersInUse()).isEqualTo(1);
            bench.run();
            assertThat(bench.port.buffersInUse()).isZero();
        }
    }

    @Test
    void aRegionRegisteredByWorkRequestIsNotReadEither() {
        Endpoint from = bench.connected(Bench.PEER_V4, 14);
        FastMemoryRegion region = from.pd.allocateFastRegion(4);
        region.map(List.of(memory()));
        from.qp.postSend(
                SendRequest.registerMemory(region, region.key(), Set.of()).build());
        bench.link.busyAfter(1);
        send(from, region.key(), region.iova());
        bench.run();
        assertThat(bench.port.buffersInUse()).isEqualTo(1);
        region.close();
        assertThat(bench.port.buffersInUse()).isZero();
    }

    static Stream<Consumer<DmaMapping>> endingsOfMappings() {
        return Stream.of(DmaMapping::close, DmaMapping::syncForCpu);
    }

    @ParameterizedTest
    @MethodSource("endingsOfMappings")
    void memoryThatIsUnmappedOrTheProgramsIsNotReadEither(Consumer<DmaMapping> ending) {
        Endpoint from = bench.connected(Bench.PEER_V4, 14);
        MemoryRegion region = from.pd.dmaRegion(Set.of());
        DmaMapping mapping = DmaTable.of(bench.context).map(memory(), DmaDirection.BIDIRECTIONAL);
        bench.link.busyAfter(1);
        send(from, region.lkey(), mapping.address());
        bench.run();
        assertThat(bench.port.buffersInUse()).isEqualTo(1);
        ending.accept(mapping);
        assertThat(bench.port.buffersInUse()).isZero();
        mapping.close();
        region.close();
    }

    /** A train of another region is not affected. */
    @Test
    void otherTrainsWaitOn() {
        Endpoint from = bench.connected(Bench.PEER_V4, 14);
        MemoryRegion mr = from.pd.registerMemory(memory(), Set.of());
        bench.link.busyAfter(1);
        from.postSend(1, 0, LENGTH);
        bench.run();
        mr.close();
        bench.link.busyAfter(Integer.MAX_VALUE);
        bench.run();
        assertThat(bench.link.sent).hasSize(5);
        assertThat(bench.port.counters().retransmittedPackets).isZero();
    }
}
