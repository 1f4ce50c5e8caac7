// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Frame;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.device.PortModification;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.ResourceKind;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Verbs that the server or the client of a served device refuses. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ServedRefusalTest extends ServerFixture {
    @Test
    @Covers("UVERBS-54")
    void anObjectWhoseMemoryCannotBeMappedIsDestroyedAgain() throws IOException {
        RunDirectory tapped = new RunDirectory(folder.resolve("tapped"));
        try (Wiretap tap = new Wiretap(served.device, served.server.entry(), tapped);
                Station station = new Station(ServedDevice.client(tapped).open("rxe0"), memory)) {
            List<ResourceKind> before = kinds();
            tap.renames = file -> file.resolveSibling("nowhere");
            assertRefused(Errno.ENOMEM, "nowhere cannot be mapped", () -> station.context.createCq(4));
            assertRefused(
                    Errno.ENOMEM,
                    "nowhere cannot be mapped",
                    () -> station.pd.createQp(
                            QpInitAttributes.builder(station.cq).build()));
            assertThat(tap.commands()).contains(CommandType.DESTROY_CQ, CommandType.DESTROY_QP);
            assertThat(kinds()).isEqualTo(before);
        }
    }

    @Test
    @Covers("UVERBS-54")
    void memoryOfOneProcessAloneIsRefused() {
        try (Station station = new Station(served.near.open("rxe0"), memory);
                Arena arena = Arena.ofShared()) {
            assertRefused(
                    Errno.EOPNOTSUPP,
                    "of this process alone",
                    () -> station.pd.registerMemory(arena.allocate(4096, 4096), Set.of()));
        }
    }

    /** A verb of the interface refuses unless the provider has it. */
    @Test
    @Covers("UVERBS-32")
    void aVerbThatTheProviderLacksIsNotSupported() {
        try (Station station = new Station(served.near.open("rxe0"), memory)) {
            assertRefused(Errno.EOPNOTSUPP, "", () -> station.pd.createWorkQueue(station.cq, 4, 1));
            assertRefused(Errno.EOPNOTSUPP, "", () -> station.context.port(1).modify(PortModification.ofShutdown()));
            int capacity = station.cq.capacity();
            station.cq.resize(capacity + 1);
            assertThat(station.cq.capacity()).isGreaterThan(capacity);
        }
    }

    /** {@code IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS}. */
    @Test
    @Covers({"UVERBS-36", "MR-22"})
    void optionalRightsReachOnlyAServerThatUnderstandsThem() throws IOException {
        Set<AccessFlag> asked = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.RELAXED_ORDERING);
        assertThat(rightsThatArrive(asked)).isEqualTo(asked);
        served.close();
        LimitedProvider provider = LimitedProvider.without(DeviceLimit.MAX_AH, ServedDevice.spec());
        provider.forgetOptionalAccess();
        served = new ServedDevice(folder, UverbsServer.ABI_VERSION, provider);
        assertThat(rightsThatArrive(asked)).containsExactly(AccessFlag.LOCAL_WRITE);
    }

    private Set<AccessFlag> rightsThatArrive(Set<AccessFlag> asked) throws IOException {
        Path root = Files.createTempDirectory(folder, "tapped");
        try (Wiretap tap = new Wiretap(served.device, served.server.entry(), new RunDirectory(root.resolve("run")));
                Context context = ServedDevice.client(new RunDirectory(root.resolve("run")))
                        .open("rxe0");
                ProtectionDomain pd = context.allocatePd();
                MemoryRegion region = pd.registerMemory(context.allocateBuffer(64, 64, Arena.global()), asked)) {
            Set<AccessFlag> sent = tap.heard.stream()
                    .map(Frame::message)
                    .filter(message -> message.command() == CommandType.REG_MR && message.has(CommandAttribute.ACCESS))
                    .map(message -> AccessFlag.ofMask(message.get(CommandAttribute.ACCESS)))
                    .findFirst()
                    .orElseThrow();
            assertThat(region.access()).isEqualTo(sent);
            return sent;
        }
    }

    @Test
    void refusalsComeWithTheServersReason() {
        try (Station station = new Station(served.near.open("rxe0"), memory)) {
            station.connect();
            assertRefused(
                    Errno.EINVAL,
                    "no transition",
                    () -> station.qp.modify(
                            QpAttributes.builder().state(QpState.RTR).build()));
            assertRefused(Errno.EINVAL, "GID index", () -> station.context.queryGid(1, 100_000));
        }
    }

    /** The provider does not support this method. */
    @Test
    @Covers("UVERBS-47")
    void aCommandThatTheDeviceLacksWhatItNeedsForIsNotThere() {
        served.close();
        served = new ServedDevice(folder, 2, LimitedProvider.without(DeviceLimit.MAX_AH, ServedDevice.spec()));
        try (Station station = new Station(served.near.open("rxe0"), memory)) {
            AddressVector path = AddressVector.roce(1, station.context.queryGid(1, 0), 0);
            assertRefused(Errno.EOPNOTSUPP, "max_ah", () -> station.pd.createAddressHandle(path));
        }
        assertThat(CommandType.CREATE_AH.isSupportedBy(LimitedProvider.attributes(DeviceLimit.MAX_AH)))
                .isFalse();
        assertThat(CommandType.CREATE_CQ.isSupportedBy(LimitedProvider.attributes(DeviceLimit.MAX_AH)))
                .isTrue();
    }

    /** The client is already connected when the device is removed or cannot open another context. */
    @Test
    @Covers({"UVERBS-30", "UVERBS-37", "UVERBS-38"})
    void aContextThatCannotBeIsRefusedAndLeavesNothing() {
        served.close();
        LimitedProvider provider = LimitedProvider.without(DeviceLimit.MAX_AH, ServedDevice.spec());
        served = new ServedDevice(folder, 2, provider);
        provider.refuseNextContext();
        assertRefused(Errno.ENOMEM, "no room", () -> served.near.open("rxe0"));
        assertThat(served.device.resources()).isEmpty();
        List<ResourceKind> meanwhile = new ArrayList<>();
        provider.whileOpening(() -> meanwhile.addAll(kinds()));
        Context opened = served.near.open("rxe0");
        assertThat(meanwhile)
                .as("contexts that are published before they are complete")
                .isEmpty();
        assertThat(kinds()).containsExactly(ResourceKind.CONTEXT);
        opened.close();
        awaitResources(0);

        provider.unplug();
        served.far.devices();
        assertRefused(Errno.EIO, "rxe0 is gone", () -> served.near.open("rxe0"));
        assertThat(served.device.resources()).isEmpty();
    }
}
