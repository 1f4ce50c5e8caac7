// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.base.Gid;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two devices that find each other in a directory, like two processes. */
class ShmTransportTest extends SharedMemoryEnds {
    @Test
    void itIsQuietWhileThereAreRingsAndNothingWaitsInThem() throws IOException {
        ShmTransport a = serve(FIRST);
        ShmTransport b = serve(SECOND);
        assertThat(a.isQuiet()).as("without a ring").isFalse();
        send(a, packet(FIRST, SECOND, 100));
        visit(b);
        assertThat(a.isQuiet()).isTrue();
        assertThat(b.isQuiet()).as("with a packet that waits").isFalse();
        expect(b, 100);
        assertThat(b.isQuiet()).isTrue();
        b.fallAsleep();
        b.wakeUp();
        assertThat(b.isQuiet()).as("after a sleep").isFalse();
        b.isSocketTurn();
        assertThat(b.isQuiet()).isTrue();
        close(a);
        visit(b);
        assertThat(b.isQuiet()).as("without a peer").isFalse();
    }

    @Test
    void packetsGoBothWaysThroughRingsOnceTheOtherHasLookedUp() throws IOException {
        ShmTransport a = serve(FIRST);
        ShmTransport b = serve(SECOND);
        assertThat(send(a, packet(FIRST, SECOND, 100))).isTrue();
        assertThat(b.receive()).isNull();
        visit(b);
        expect(b, 100);
        assertThat(send(b, packet(SECOND, FIRST, 3000))).isTrue();
        expect(a, 3000);
        assertThat(count(a, "shm_tx_packets")).isEqualTo(1);
        assertThat(count(a, "shm_rx_packets")).isEqualTo(1);
        assertThat(count(b, "shm_channels")).isEqualTo(1);
        assertThat(files()).as("the two doors, and no ring").hasSize(2);
    }

    private NetDevice sender(FeatureSet features, int gsoMaxSize) {
        NetDeviceOps ops = device.driver().ops();
        NetDevice made =
                NetHost.standalone(new NetDevice(new NetDeviceSetup("s", 2, 1500, 0, List.of(), features), ops));
        made.features().gsoMaxSize(gsoMaxSize);
        return made;
    }

    @Test
    void aPeerTakesMuchAtOnceFromWhenItIsFoundUntilItIsGone() throws IOException {
        ShmTransport a = serve(FIRST, FIRST_V6);
        ShmTransport b = serve(SECOND, SECOND_V6);
        NetDevice from = sender(ShmTransport.FEATURES, ShmTransport.LONGEST_TRAIN);
        assertThat(a.burstBytes(FIRST, SECOND, PORT, from)).isZero();
        send(a, packet(FIRST, SECOND, 100));
        visit(b);
        assertThat(a.burstBytes(FIRST, SECOND, PORT, from)).isEqualTo(8 << 20);
        assertThat(a.burstBytes(FIRST, SECOND, PORT + 1, from)).isZero();
        assertThat(a.burstBytes(FIRST_V6, SECOND_V6, PORT, from)).isZero();
        send(a, packet(FIRST_V6, SECOND_V6, 100));
        assertThat(a.burstBytes(FIRST_V6, SECOND_V6, PORT, from)).isPositive();
        assertThat(a.burstBytes(FIRST, SECOND, PORT, from)).isPositive();
        expect(b, 100);
        close(b);
        visit(a);
        assertThat(a.burstBytes(FIRST, SECOND, PORT, from)).isZero();
        from.unregister();
    }

    @Test
    void whatIsCutBeforeIsAsThroughAnyNetwork() throws IOException {
        ShmTransport a = serve(FIRST);
        ShmTransport b = serve(SECOND);
        send(a, packet(FIRST, SECOND, 100));
        visit(b);
        expect(b, 100);
        NetDevice shortTrains = sender(ShmTransport.FEATURES, ShmTransport.LONGEST_TRAIN - 1);
        assertThat(a.burstBytes(FIRST, SECOND, PORT, shortTrains)).isZero();
        shortTrains.unregister();
        NetDevice noPieces =
                sender(ShmTransport.FEATURES.minus(FeatureSet.of(NetDeviceFeature.SG)), ShmTransport.LONGEST_TRAIN);
        assertThat(a.burstBytes(FIRST, SECOND, PORT, noPieces)).isZero();
        noPieces.unregister();
    }

    @Test
    void payloadIsReadInPlaceIfAllOfItIsInMemoryOfTheDeviceByAPeerThatIsThere() throws IOException {
        ShmTransport a = serve(FIRST);
        ShmTransport b = serve(SECOND);
        MemorySegment near = a.allocate(1 << 20, 64, arena);
        SkBuff skb = packet(FIRST, SECOND, 0);
        skb.addFrag(near, 0, 1 << 20);
        assertThat(a.readsInPlace(skb, FIRST, SECOND, PORT)).isFalse();
        send(a, packet(FIRST, SECOND, 100));
        visit(b);
        expect(b, 100);
        assertThat(a.readsInPlace(skb, FIRST, SECOND, PORT)).isTrue();
        skb.addFrag(arena.allocate(10), 0, 10);
        assertThat(a.readsInPlace(skb, FIRST, SECOND, PORT)).isFalse();
        skb.free();
    }

    @Test
    void payloadAnywhereIsReadInPlaceByAPeerThatMayReadThisProcess() throws IOException {
        system = processMemory();
        assumeTrue(system != null, "no native calls");
        ShmTransport a = serve(FIRST);
        ShmTransport b = serve(SECOND);
        send(a, packet(FIRST, SECOND, 100));
        visit(b);
        expect(b, 100);
        SkBuff longest = packet(FIRST, SECOND, 1 << 20);
        assertThat(a.readsInPlace(longest, FIRST, SECOND, PORT)).isFalse();
        assertThat(send(a, packet(FIRST, SECOND, 40_000))).isTrue();
        expect(b, 40_000);
        assertThat(a.readsInPlace(longest, FIRST, SECOND, PORT)).isTrue();
        assertThat(send(a, longest)).isTrue();
        expect(b, 1 << 20);
        assertThat(count(a, "shm_tx_process_references")).isEqualTo(1);
        assertThat(count(b, "shm_rx_process_reads")).isPositive();
        assertThat(count(b, "shm_rx_processes_refused")).isZero();
        // The reverse direction needs a challenge of its own.
        send(b, packet(SECOND, FIRST, 100));
        expect(a, 100);
        SkBuff answer = packet(SECOND, FIRST, 1 << 20);
        assertThat(b.readsInPlace(answer, SECOND, FIRST, PORT)).isFalse();
        assertThat(send(b, packet(SECOND, FIRST, 40_000))).isTrue();
        expect(a, 40_000);
        assertThat(send(b, answer)).isTrue();
        expect(a, 1 << 20);
        assertThat(count(b, "shm_tx_process_references")).isEqualTo(1);
    }

    @Test
    void addressesOfIpv6AreServedAsWell() throws IOException {
        ShmTransport a = serve(FIRST, FIRST_V6);
        ShmTransport b = serve(SECOND, SECOND_V6);
        assertThat(send(a, packet(FIRST_V6, SECOND_V6, 100))).isTrue();
        visit(b);
        expect(b, 100);
        assertThat(send(b, packet(SECOND, FIRST, 200))).isTrue();
        visit(a);
        expect(a, 200);
        assertThat(count(a, "shm_channels")).isEqualTo(2);
    }

    private static void awaitPrivate(ShmTransport one, Gid own, Gid peer) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!one.isPrivate(own, peer, PORT) && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(one.isPrivate(own, peer, PORT)).isTrue();
    }

    /** A packet from the socket with the address of such a peer is from another process. */
    @Test
    void allPacketsOfAPeerComeByTheRingUnlessItSaysThatItUsesTheSocketToo() throws IOException {
        ShmTransport a = serve(FIRST);
        ShmTransport b = serve(SECOND);
        assertThat(b.isPrivate(SECOND, FIRST, PORT)).as("before they have met").isFalse();
        assertThat(send(a, packet(FIRST, SECOND, 100))).isTrue();
        visit(b);
        assertThat(b.isPrivate(SECOND, FIRST, PORT))
                .as("while packets may be under way")
                .isFalse();
        expect(b, 100);
        assertThat(send(b, packet(SECOND, FIRST, 50))).isTrue();
        visit(a);
        awaitPrivate(b, SECOND, FIRST);
        awaitPrivate(a, FIRST, SECOND);
        SkBuff finished = packet(FIRST, SECOND, 100);
        finished.shinfo().offload(null);
        assertThat(send(a, finished)).as("a finished packet goes by the ring").isFalse();
        assertThat(b.isPrivate(SECOND, FIRST, PORT)).isFalse();
        assertThat(a.isPrivate(FIRST, SECOND, PORT)).as("the other way").isTrue();
        expect(a, 50);
        close(a);
        visit(b);
        assertThat(b.isPrivate(SECOND, FIRST, PORT)).as("without a peer").isFalse();
    }

    @Test
    void visitsBeyondSoManyAMillisecondAreDealtWithTogether() throws IOException {
        ShmTransport a = serve(FIRST);
        long start = System.nanoTime();
        for (int i = 0; i < 100_000; i++) {
            visit(a);
        }
        long intervals = (System.nanoTime() - start) / ShmTransport.VISIT_INTERVAL_NS + 2;
        assertThat(count(a, "shm_visits")).isLessThanOrEqualTo(intervals * ShmTransport.VISITS_PER_INTERVAL);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!a.fallAsleep() && System.nanoTime() - end < 0) {
            a.wakeUp();
            a.isSocketTurn();
        }
        assertThat(a.fallAsleep()).as("no visit waits for ever").isTrue();
        a.wakeUp();
    }

    @Test
    void visitsCountOnlyFromAddressesOfThisMachine() throws IOException {
        ShmTransport a = serve(FIRST);
        visit(a, Gid.parse("203.0.113.9"));
        visit(a, Gid.parse("2001:db8::9"));
        visit(a, Gid.parse("::ffff:0:127.0.0.1"));
        assertThat(count(a, "shm_visits")).as("from the network").isZero();
        List<Gid> here = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .map(Gid::of)
                .toList();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        for (Gid address : here) {
            long before = count(a, "shm_visits");
            while (count(a, "shm_visits") == before && System.nanoTime() - end < 0) {
                visit(a, address);
            }
            assertThat(count(a, "shm_visits")).as("from " + address).isGreaterThan(before);
        }
    }

    @Test
    void finishedPacketsAndThoseForOthersGoByTheSocket() throws IOException {
        ShmTransport a = serve(FIRST);
        serve(SECOND);
        SkBuff finished = packet(FIRST, SECOND, 100);
        finished.shinfo().offload(null);
        assertThat(send(a, finished)).isFalse();
        assertThat(send(a, packet(FIRST, Gid.parse("10.1.2.3"), 100))).isFalse();
        assertThat(send(a, packet(FIRST_V6, SECOND_V6, 100))).isFalse();
        assertThat(send(a, packet(SECOND, SECOND, 100)))
                .as("not an address of ours")
                .isFalse();
    }

    @Test
    void whoStartsLaterIsFoundBecauseItLooksIn() throws IOException {
        ShmTransport a = serve(FIRST);
        assertThat(send(a, packet(FIRST, SECOND, 100))).isFalse();
        ShmTransport b = serve(SECOND);
        assertThat(send(a, packet(FIRST, SECOND, 100))).as("nobody has told it").isFalse();
        visit(a);
        assertThat(send(a, packet(FIRST, SECOND, 100))).isTrue();
        visit(b);
        expect(b, 100);
    }

    @Test
    void theSameAddressInAnotherNetworkIsAnotherOne() throws IOException {
        ShmTransport a = serveIn(1, FIRST);
        ShmTransport b = serveIn(2, SECOND);
        assertThat(send(a, packet(FIRST, SECOND, 100))).isFalse();
        ShmTransport c = serveIn(1, SECOND);
        visit(a);
        assertThat(send(a, packet(FIRST, SECOND, 100))).isTrue();
        visit(b);
        visit(c);
        assertThat(b.receive()).isNull();
        expect(c, 100);
    }

    @Test
    void aPeerThatEndsIsNoticedAndPacketsGoByTheSocketAgain() throws IOException {
        ShmTransport a = serve(FIRST);
        ShmTransport b = serve(SECOND);
        send(a, packet(FIRST, SECOND, 100));
        visit(b);
        expect(b, 100);
        MemorySegment memory = a.allocate(8192, 64, Arena.ofAuto());
        SkBuff referring = packet(FIRST, SECOND, 0);
        referring.addFrag(memory, 0, 8192);
        assertThat(send(a, referring)).isTrue();
        assertThat(pool.available()).isEqualTo(15);
        close(b);
        visit(a);
        assertThat(pool.available()).as("what it will never read is free").isEqualTo(16);
        assertThat(count(a, "shm_channels")).isZero();
        assertThat(send(a, packet(FIRST, SECOND, 100))).isFalse();
        ShmTransport again = serve(SECOND);
        visit(a);
        assertThat(send(a, packet(FIRST, SECOND, 300))).isTrue();
        visit(again);
        expect(again, 300);
    }

    @Test
    void aPeerThatDoesNotReadIsBusyAtFirstAndThenLosesPackets() throws Exception {
        ShmTransport a = serve(FIRST);
        ShmTransport b = serve(SECOND);
        send(a, packet(FIRST, SECOND, 100));
        visit(b);
        SkBuff skb = packet(FIRST, SECOND, 60_000);
        while (a.transmit(skb, device) == NetdevTx.OK) {
            skb = packet(FIRST, SECOND, 60_000);
        }
        assertThat(a.transmit(skb, device)).isEqualTo(NetdevTx.BUSY);
        expect(b, 100);
        expect(b, 60_000);
        assertThat(b.receive()).isNotNull().satisfies(SkBuff::free);
        assertThat(a.transmit(skb, device)).as("there is room again").isEqualTo(NetdevTx.OK);
        SkBuff last = packet(FIRST, SECOND, 60_000);
        while (a.transmit(last, device) == NetdevTx.OK) {
            last = packet(FIRST, SECOND, 60_000);
        }
        nowNs += ShmTransport.LONGEST_FULL_NS - 1;
        assertThat(a.transmit(last, device)).isEqualTo(NetdevTx.BUSY);
        assertThat(count(a, "shm_tx_lost")).isZero();
        nowNs++;
        assertThat(a.transmit(last, device)).isEqualTo(NetdevTx.OK);
        assertThat(count(a, "shm_tx_lost")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatTheDeadHaveLeftGoesWithTheNextStart(boolean sameAddress) throws IOException {
        ShmDirectory found = ShmDirectory.open(directory(), NAMESPACE);
        Path listener = found.entry(SECOND, PORT, 0x123);
        // Closing the channel leaves the socket file, like the death of a process.
        ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        dead.bind(UnixDomainSocketAddress.of(listener)).close();
        found.create(0x123, 1, 4096, Arena.ofAuto());
        found.create(0x456, 1, 4096, Arena.ofAuto());
        ShmTransport living = serve(SECOND);
        living.allocate(100, 64, Arena.ofAuto());
        serve(sameAddress ? SECOND : FIRST);
        assertThat(files()).hasSize(3).doesNotContain(listener, directory().resolve("memory.123.1"));
    }

    @Test
    void aDirectoryThatOthersMayEnterIsNotUsed() throws IOException {
        Files.createDirectory(
                directory(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.setPosixFilePermissions(directory(), PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThatThrownBy(() -> serve(FIRST))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("run chmod 700 on it");
        Files.delete(directory());
        Files.createSymbolicLink(directory(), temporary);
        assertThatThrownBy(() -> serve(FIRST)).isInstanceOf(IOException.class);
        Files.delete(directory());
    }

    @Test
    void filesAreForTheUserAlone() throws IOException {
        ShmTransport a = serve(FIRST);
        a.allocate(100, 64, Arena.ofAuto());
        for (Path file : files()) {
            if (file.getFileName().toString().startsWith("memory")) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .isEqualTo("rw-------");
            }
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory())))
                .isEqualTo("rwx------");
    }

    @Test
    void whoSaysNonsenseAtTheDoorIsNotLetIn() throws IOException {
        ShmTransport a = serve(FIRST);
        ShmDirectory found = ShmDirectory.open(directory(), NAMESPACE);
        found.create(0x123, 1, 4096, Arena.ofAuto());
        List<Hello> lies = List.of(
                new Hello(NAMESPACE, SECOND, FIRST, PORT, 1, 0x123),
                new Hello(NAMESPACE, SECOND, FIRST, PORT, 2, 0x123),
                new Hello(NAMESPACE + 1, SECOND, FIRST, PORT, 1, 0x123),
                new Hello(NAMESPACE, FIRST, SECOND, PORT, 1, 0x123),
                new Hello(NAMESPACE, SECOND, FIRST, -1, 1, 0x123));
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 50; i++) {
            try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                channel.connect(UnixDomainSocketAddress.of(
                        found.find(FIRST, PORT).getFirst().path()));
                if (i < lies.size()) {
                    lies.get(i).send(channel);
                } else {
                    byte[] nonsense = new byte[random.nextInt(200)];
                    random.nextBytes(nonsense);
                    channel.write(ByteBuffer.wrap(nonsense));
                }
                visit(a);
            }
            visit(a);
        }
        assertThat(count(a, "shm_channels")).isZero();
        found.delete(0x123, 1);
    }

    @Test
    void memoryThatWasAllocatedIsZeroAndAlignedAndGoesWithItsArena() throws IOException {
        ShmTransport a = serve(FIRST);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = a.allocate(100_000, 1 << 16, arena);
            assertThat(memory.byteSize()).isEqualTo(100_000);
            assertThat(memory.address() % (1 << 16)).isZero();
            assertThat(memory.mismatch(MemorySegment.ofArray(new byte[100_000])))
                    .isEqualTo(-1);
            assertThat(files()).hasSize(2);
        }
        visit(a);
        assertThat(files()).hasSize(1);
    }
}
