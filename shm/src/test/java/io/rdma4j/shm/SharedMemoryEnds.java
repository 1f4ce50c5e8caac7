// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.linux.LinuxProcessMemory;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Base class of shared memory tests: devices that find each other in a directory, like separate processes. */
abstract class SharedMemoryEnds {
    static final int PORT = 4791;
    static final long NAMESPACE = 77;
    static final Gid FIRST = Gid.parse("127.0.0.71");
    static final Gid SECOND = Gid.parse("127.0.0.72");
    static final Gid FIRST_V6 = Gid.parse("fd00::71");
    static final Gid SECOND_V6 = Gid.parse("fd00::72");

    @TempDir
    Path temporary;

    final Arena arena = Arena.ofAuto();
    final SkBuffPool pool = new SkBuffPool(16, 256);

    @Nullable
    ProcessMemory system;

    final List<ShmTransport> open = new ArrayList<>();

    /** Time of the device's clock. */
    long nowNs = 1;

    final NetDevice device = NetHost.create(() -> nowNs, _ -> {})
            .initial()
            .register(
                    new NetDevice(new NetDeviceSetup("d", 2, 1500, 0, List.of(), FeatureSet.NONE), new NetDeviceOps() {
                        @Override
                        public NetdevTx startXmit(SkBuff skb, NetDevice to) {
                            throw new AssertionError("it is there to count only");
                        }

                        @Override
                        public SkBuff pollReceive(NetDevice from) {
                            throw new AssertionError("it is there to count only");
                        }
                    }));

    /** Reads other processes as the Linux driver does; null if this JVM cannot. */
    static @Nullable ProcessMemory processMemory() {
        LinuxProcessMemory memory = LinuxProcessMemory.find();
        return memory == null ? null : memory::read;
    }

    @AfterEach
    void close() throws IOException {
        open.forEach(ShmTransport::close);
        device.unregister();
        assertThat(pool.available()).isEqualTo(16);
        pool.close();
        assertThat(files()).isEmpty();
    }

    Path directory() {
        return temporary.resolve("shm");
    }

    List<Path> files() throws IOException {
        if (!Files.exists(directory())) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(directory())) {
            return all.toList();
        }
    }

    ShmTransport serve(Gid... addresses) throws IOException {
        return serveIn(NAMESPACE, addresses);
    }

    ShmTransport serveIn(long namespace, Gid... addresses) throws IOException {
        ShmDirectory found = ShmDirectory.open(directory(), namespace);
        ShmTransport served = ShmTransport.open(found, List.of(addresses), PORT, system);
        open.add(served);
        return served;
    }

    void close(ShmTransport one) {
        open.remove(one);
        one.close();
    }

    SkBuff packet(Gid from, Gid to, int bytes) {
        SkBuff skb = Packets.udp(pool, from, PORT, to, PORT, new byte[0]);
        if (bytes > 0) {
            skb.addFrag(arena.allocateFrom(ValueLayout.JAVA_BYTE, Packets.random(bytes, bytes)), 0, bytes);
        }
        skb.shinfo().offload(IncompletePacket.INSTANCE);
        return skb;
    }

    /** Delivers a datagram in which a process of this machine requests a connection. */
    void visit(ShmTransport served) {
        visit(served, FIRST);
    }

    void visit(ShmTransport served, Gid from) {
        Gid to = from.isIpv4() ? SECOND : SECOND_V6;
        served.onWakeup(Packets.udp(pool, from, PORT, to, PORT, new byte[1]), 1);
    }

    boolean send(ShmTransport from, SkBuff skb) {
        NetdevTx result = from.transmit(skb, device);
        if (result == null) {
            skb.free();
        }
        return result != null;
    }

    static long count(ShmTransport one, String name) {
        SequencedMap<String, Long> statistics = new LinkedHashMap<>();
        one.addTo(statistics);
        return Objects.requireNonNull(statistics.get(name));
    }

    static void expect(ShmTransport at, int bytes) {
        SkBuff skb = Objects.requireNonNull(at.receive());
        byte[] all = Packets.bytes(skb);
        assertThat(List.of(all).getFirst()).endsWith(Packets.random(bytes, bytes));
        skb.free();
    }
}
