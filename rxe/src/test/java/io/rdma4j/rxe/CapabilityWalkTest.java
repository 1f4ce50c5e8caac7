// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.hca.HcaCapabilities;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.PortModification;
import io.rdma4j.verbs.kernel.DmaTable;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.DmaDirection;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WindowType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each capability bit of the device: if it is set the verb works, if it is clear the verb fails with EOPNOTSUPP. */
class CapabilityWalkTest {
    private static final Gid GROUP = Gid.parse("ff0e::77");

    /** Capabilities without a verb, about the treatment of packets or about events; other tests cover them. */
    private static final Set<DeviceCapability> WITHOUT_VERB = EnumSet.of(
            DeviceCapability.BAD_PKEY_CNTR,
            DeviceCapability.UD_AV_PORT_ENFORCE,
            DeviceCapability.PORT_ACTIVE_EVENT,
            DeviceCapability.SYS_IMAGE_GUID,
            DeviceCapability.RC_RNR_NAK_GEN,
            DeviceCapability.RESERVED,
            DeviceCapability.MEM_WINDOW_TYPE_2A,
            DeviceCapability.MANAGED_FLOW_STEERING);

    /** An operation that needs the capability. */
    private static final Map<DeviceCapability, Consumer<Bench>> TRIALS = new EnumMap<>(Map.ofEntries(
            Map.entry(DeviceCapability.RESIZE_MAX_WR, CapabilityWalkTest::resizeQueues),
            Map.entry(
                    DeviceCapability.BAD_QKEY_CNTR,
                    bench -> bench.context.port(1).modify(PortModification.ofQkeyCounterReset())),
            Map.entry(DeviceCapability.RAW_MULTI, CapabilityWalkTest::attachRaw),
            Map.entry(DeviceCapability.AUTO_PATH_MIG, CapabilityWalkTest::loadAlternatePath),
            Map.entry(DeviceCapability.CHANGE_PHY_PORT, CapabilityWalkTest::changePort),
            Map.entry(DeviceCapability.CURR_QP_STATE_MOD, CapabilityWalkTest::assumeState),
            Map.entry(
                    DeviceCapability.SHUTDOWN_PORT,
                    bench -> bench.context.port(1).modify(PortModification.ofShutdown())),
            Map.entry(
                    DeviceCapability.INIT_TYPE, bench -> bench.context.port(1).modify(PortModification.ofInitType(1))),
            Map.entry(DeviceCapability.SRQ_RESIZE, CapabilityWalkTest::resizeShared),
            Map.entry(
                    DeviceCapability.N_NOTIFY_CQ,
                    bench -> bench.endpoint().receiveCq.requestNotificationAt(2)),
            Map.entry(DeviceCapability.LOCAL_DMA_LKEY, bench -> bench.context.localDmaLkey()),
            Map.entry(DeviceCapability.MEM_WINDOW, bench -> allocate(bench, WindowType.TYPE_1)),
            Map.entry(DeviceCapability.UD_IP_CSUM, bench -> sendWithChecksum(bench, QpType.UD)),
            Map.entry(DeviceCapability.UD_TSO, bench -> create(bench, QpCreateFlag.IPOIB_UD_LSO)),
            Map.entry(
                    DeviceCapability.XRC, bench -> bench.context.openXrcDomain().close()),
            Map.entry(DeviceCapability.MEM_MGT_EXTENSIONS, CapabilityWalkTest::allocateFastRegion),
            Map.entry(
                    DeviceCapability.BLOCK_MULTICAST_LOOPBACK,
                    bench -> create(bench, QpCreateFlag.BLOCK_MULTICAST_LOOPBACK)),
            Map.entry(DeviceCapability.MEM_WINDOW_TYPE_2B, bench -> allocate(bench, WindowType.TYPE_2)),
            Map.entry(DeviceCapability.RC_IP_CSUM, bench -> sendWithChecksum(bench, QpType.RC)),
            Map.entry(DeviceCapability.RAW_IP_CSUM, bench -> sendWithChecksum(bench, QpType.RAW_IPV6)),
            Map.entry(DeviceCapability.FLUSH_GLOBAL, bench -> register(bench, AccessFlag.FLUSH_GLOBAL)),
            Map.entry(DeviceCapability.FLUSH_PERSISTENT, bench -> register(bench, AccessFlag.FLUSH_PERSISTENT)),
            Map.entry(DeviceCapability.ATOMIC_WRITE, CapabilityWalkTest::writeAtomically)));

    private static Bench bench(DeviceProfile profile) {
        return new Bench(
                Set.of(),
                ProgressMode.MANUAL,
                options -> options.withRawPackets().withProfile(profile));
    }

    private static Set<DeviceCapability> advertised() {
        return new HcaCapabilities(Set.of()).all();
    }

    private static Set<DeviceCapability> lacking() {
        return EnumSet.complementOf(EnumSet.copyOf(advertised()));
    }

    @ParameterizedTest
    @MethodSource("advertised")
    @Covers({"DEV-33", "DEV-34", "DEV-38", "DEV-39", "DEV-40", "DEV-46", "DEV-48", "DEV-51", "DEV-52", "DEV-55"})
    void aBitThatIsSetIsKept(DeviceCapability capability) {
        Consumer<Bench> trial = TRIALS.get(capability);
        assertThat(trial == null).isEqualTo(WITHOUT_VERB.contains(capability));
        try (Bench bench = bench(DeviceProfile.FULL)) {
            assertThat(bench.context.queryDevice().has(capability)).isTrue();
            if (trial != null) {
                assertThatCode(() -> trial.accept(bench)).doesNotThrowAnyException();
            }
        }
    }

    /** No claim, because a rejection is not a feature. */
    @ParameterizedTest
    @MethodSource("lacking")
    void whatTheDeviceLacksIsRefused(DeviceCapability capability) {
        Consumer<Bench> trial = TRIALS.get(capability);
        assertThat(trial == null).isEqualTo(WITHOUT_VERB.contains(capability));
        try (Bench bench = bench(DeviceProfile.FULL)) {
            assertThat(bench.context.queryDevice().has(capability)).isFalse();
            if (trial != null) {
                assertUnsupported(bench, trial);
            }
        }
    }

    /** No claim, because a rejection is not a feature. */
    @ParameterizedTest
    @EnumSource(
            value = DeviceCapability.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"RC_RNR_NAK_GEN", "SYS_IMAGE_GUID"})
    void aBitThatIsClearIsKeptToo(DeviceCapability capability) {
        DeviceProfile lacking = DeviceProfile.FULL.without(capability);
        try (Bench bench = bench(lacking)) {
            assertThat(bench.context.queryDevice().has(capability)).isFalse();
            Consumer<Bench> trial = TRIALS.get(capability);
            if (trial != null) {
                assertUnsupported(bench, trial);
            }
        }
    }

    private static void assertUnsupported(Bench bench, Consumer<Bench> trial) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> trial.accept(bench))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
    }

    @Test
    @Covers("DEV-47")
    void theReservedBitIsNeverSet() {
        assertThat(DeviceCapability.RESERVED.bit()).isEqualTo(1 << 16);
        try (Bench bench = bench(DeviceProfile.FULL)) {
            assertThat(DeviceCapability.mask(bench.context.queryDevice().capabilities()) & 1 << 16)
                    .isZero();
        }
    }

    /** Without the extensions there are no requests that register or invalidate regions. */
    @Test
    @Covers("DEV-52")
    void invalidatingIsOneOfTheExtensions() {
        assertThatCode(() -> invalidate(DeviceProfile.FULL)).doesNotThrowAnyException();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> invalidate(DeviceProfile.FULL.without(DeviceCapability.MEM_MGT_EXTENSIONS)))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
    }

    private static void invalidate(DeviceProfile profile) {
        try (Bench bench = bench(profile)) {
            Endpoint endpoint = bench.connected(Bench.PEER_V4, 14);
            endpoint.qp.postSend(SendRequest.localInvalidate(0x1234).build());
        }
    }

    /** The reserved key needs no region, is the same in all protection domains, and gives access to DMA mappings. */
    @Test
    @Covers("DEV-46")
    void theReservedKeyOpensWhatIsMapped() {
        try (Bench bench = bench(DeviceProfile.FULL);
                Arena arena = Arena.ofShared()) {
            int lkey = bench.context.localDmaLkey();
            assertThat(bench.context.localDmaLkey()).isEqualTo(lkey).isNotZero();
            for (int i = 1; i <= 2; i++) {
                MemorySegment memory = arena.allocate(256, 64).fill((byte) i);
                Endpoint endpoint = bench.endpoint(EndpointSetup.OPEN);
                endpoint.connectTo(endpoint, LinkSetup.DEFAULT);
                try (var mapping = DmaTable.of(bench.context).map(memory, DmaDirection.BIDIRECTIONAL)) {
                    endpoint.qp
                            .startSend()
                            .signaled()
                            .rdmaWrite(endpoint.mr.rkey(), endpoint.remote(0))
                            .sge(lkey, mapping.address(), 256)
                            .complete();
                    endpoint.awaitSend();
                    assertThat(endpoint.memory.asSlice(0, 256).mismatch(memory)).isEqualTo(-1);
                }
            }
        }
    }

    // Trials

    private static Endpoint talkingToItself(Bench bench, QpType type) {
        Endpoint endpoint = bench.endpoint(EndpointSetup.OPEN.type(type));
        endpoint.connectTo(endpoint, LinkSetup.DEFAULT);
        return endpoint;
    }

    private static void resizeQueues(Bench bench) {
        bench.endpoint()
                .qp
                .modify(QpAttributes.builder()
                        .capabilities(QpCapabilities.of(100, 100))
                        .build());
    }

    private static void attachRaw(Bench bench) {
        Endpoint raw = bench.endpoint(EndpointSetup.DEFAULT.type(QpType.RAW_IPV6));
        raw.qp.attachMulticast(GROUP, 0);
        assertThat(bench.link.groups).containsExactly(GROUP);
        raw.qp.detachMulticast(GROUP, 0);
        assertThat(bench.link.groups).isEmpty();
    }

    private static void loadAlternatePath(Bench bench) {
        AddressVector vector = AddressVector.roce(1, Bench.PEER_V4, 0);
        bench.connected(Bench.PEER_V4, 14)
                .qp
                .modify(QpAttributes.builder()
                        .alternatePath(new AlternatePath(vector, 0, 1, 14))
                        .build());
    }

    private static void changePort(Bench bench) {
        QueuePair qp = bench.connected(Bench.PEER_V4, 14).qp;
        qp.modify(QpAttributes.builder().state(QpState.SQD).build());
        bench.run();
        qp.modify(QpAttributes.builder().port(2).build());
    }

    private static void assumeState(Bench bench) {
        bench.connected(Bench.PEER_V4, 14)
                .qp
                .modify(QpAttributes.builder()
                        .currentState(QpState.RTS)
                        .minRnrTimer(1)
                        .build());
    }

    private static void resizeShared(Bench bench) {
        try (SharedReceiveQueue srq = bench.endpoint().pd.createSrq(SrqInitAttributes.basic(10, 1))) {
            srq.resize(20);
        }
    }

    private static void allocate(Bench bench, WindowType type) {
        bench.endpoint().pd.allocateWindow(type).close();
    }

    private static void allocateFastRegion(Bench bench) {
        bench.endpoint().pd.allocateFastRegion(1).close();
    }

    private static void create(Bench bench, QpCreateFlag flag) {
        Endpoint endpoint = bench.endpoint();
        endpoint.pd
                .createQp(QpInitAttributes.builder(endpoint.sendCq)
                        .type(QpType.UD)
                        .createFlags(flag)
                        .build())
                .close();
    }

    private static void sendWithChecksum(Bench bench, QpType type) {
        Endpoint endpoint =
                type.isRaw() ? bench.endpoint(EndpointSetup.DEFAULT.type(type)) : talkingToItself(bench, type);
        if (type.isRaw()) {
            endpoint.connectTo(endpoint, LinkSetup.DEFAULT);
        }
        SendRequest.Builder send = SendRequest.send().flag(SendFlag.IP_CSUM).sge(endpoint.mr.sge(0, 100));
        if (type != QpType.UD) {
            endpoint.qp.postSend(send.build());
            return;
        }
        try (AddressHandle handle = endpoint.pd.createAddressHandle(AddressVector.roce(1, Bench.PEER_V4, 0))) {
            endpoint.qp.postSend(send.destination(handle, 1, 1).build());
        }
    }

    private static void register(Bench bench, AccessFlag flag) {
        try {
            Path file = Files.createTempFile("flush", null);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                MemorySegment memory = channel.map(MapMode.READ_WRITE, 0, 4096, Arena.ofAuto());
                bench.endpoint()
                        .pd
                        .registerMemory(memory, Set.of(AccessFlag.LOCAL_WRITE, flag))
                        .close();
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void writeAtomically(Bench bench) {
        Endpoint endpoint = talkingToItself(bench, QpType.RC);
        endpoint.qp.postSend(SendRequest.atomicWrite(endpoint.mr.rkey(), endpoint.remote(0), 7)
                .signaled()
                .build());
        endpoint.awaitSend();
    }
}
