// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.fixtures.Frames;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.wire.ip.Ethernet;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PcapTapTest {
    private static final long LEFT = MacAddress.parse("02:00:00:00:00:01");
    private static final long RIGHT = MacAddress.parse("02:00:00:00:00:02");
    private static final long STRANGER = MacAddress.parse("02:00:00:00:00:03");
    private static final int TYPE = 0x88B5;
    private static final long TIME_NS = 1_700_000_000_123_456_789L;

    /** The record of a packet in a file. */
    private static final class Captured {
        private long timeNs;
        private int length;
        private byte[] bytes = {};
    }

    private final SkBuffPool pool = new SkBuffPool(4, 2048);
    private final VethDevice.Pair pair = VethDevice.pair(
            VethDevice.end("veth0", 2, 1500, LEFT, List.of()), VethDevice.end("veth1", 2, 1500, RIGHT, List.of()));
    private final NetDevice right = pair.second();
    private final ByteArrayOutputStream file = new ByteArrayOutputStream();

    @BeforeEach
    void up() {
        pair.first().up();
        right.up();
    }

    @AfterEach
    void close() {
        pair.first().unregister();
        right.unregister();
        assertThat(pool.available()).isEqualTo(4);
        pool.close();
    }

    private PcapWriter writer(int snapBytes) throws IOException {
        return new PcapWriter(Channels.newChannel(file), LinkType.ETHERNET, snapBytes);
    }

    private byte[] arrive(long destination, int type, int payloadBytes) {
        SkBuff skb = Frames.frame(pool, destination, LEFT, type, Packets.random(payloadBytes, payloadBytes));
        byte[] frame = Packets.bytes(skb);
        pair.first().transmit(skb);
        right.napi().poll(64);
        return frame;
    }

    private List<Captured> records(int linkType, int snapBytes) {
        ByteBuffer bytes = ByteBuffer.wrap(file.toByteArray());
        assertThat(bytes.getInt()).isEqualTo(0xA1B23C4D);
        assertThat(bytes.getInt()).as("version 2.4").isEqualTo(0x0002_0004);
        assertThat(bytes.getLong()).isZero();
        assertThat(bytes.getInt()).isEqualTo(snapBytes);
        assertThat(bytes.getInt()).isEqualTo(linkType);
        List<Captured> records = new ArrayList<>();
        while (bytes.hasRemaining()) {
            Captured captured = new Captured();
            captured.timeNs = bytes.getInt() * 1_000_000_000L + bytes.getInt();
            captured.bytes = new byte[bytes.getInt()];
            captured.length = bytes.getInt();
            bytes.get(captured.bytes);
            records.add(captured);
        }
        return records;
    }

    @Test
    void framesAreWrittenFromTheirLinkHeaderOnEvenThoseForOthersWhichNobodyReceives() throws IOException {
        byte[] first;
        byte[] second;
        try (PcapWriter writer = writer(65_535);
                PcapTap tap = PcapTap.open(right, EtherType.ALL, writer, () -> TIME_NS)) {
            first = arrive(RIGHT, TYPE, 100);
            assertThat(right.link().isPromiscuous()).isTrue();
            second = arrive(STRANGER, TYPE + 1, 1500);
            assertThat(tap.packets()).isEqualTo(2);
        }
        assertThat(right.link().isPromiscuous()).isFalse();
        arrive(RIGHT, TYPE, 10);
        List<Captured> records = records(1, 65_535);
        assertThat(records).extracting(captured -> captured.bytes).containsExactly(first, second);
        assertThat(records).extracting(captured -> captured.timeNs).containsOnly(TIME_NS);
    }

    @Test
    void whatTheDeviceSendsIsWrittenAsItsDriverGetsIt() throws IOException {
        SkBuff skb = Frames.frame(pool, LEFT, RIGHT, TYPE, new byte[] {1, 2, 3});
        skb.meta().vlanTag(Ethernet.TYPE_VLAN, 5);
        try (PcapWriter writer = writer(100);
                PcapTap tap = PcapTap.open(right, EtherType.ALL, writer, () -> TIME_NS)) {
            right.transmit(skb);
            assertThat(tap.packets()).isEqualTo(1);
            assertThat(right.stats().txPackets()).isEqualTo(1);
        }
        byte[] tagged = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, (byte) 0x81, 0, 0, 5, (byte) 0x88, (byte) 0xB5, 1, 2, 3};
        assertThat(records(1, 100)).extracting(captured -> captured.bytes).containsExactly(tagged);
        List<Integer> arrived = new ArrayList<>();
        pair.first().rxHandler().registerReceiver(received -> {
            arrived.add(received.meta().vlanTci());
            received.free();
        });
        pair.first().napi().poll(8);
        assertThat(arrived).containsExactly(5);
    }

    @Test
    void oneProtocolOnlyAndTheBeginningOnlyIfThatIsWanted() throws IOException {
        byte[] wanted;
        try (PcapWriter writer = writer(20);
                PcapTap tap = PcapTap.open(right, TYPE, writer, () -> TIME_NS)) {
            arrive(RIGHT, TYPE + 1, 100);
            wanted = arrive(RIGHT, TYPE, 200);
            assertThat(tap.packets()).isEqualTo(1);
        }
        assertThat(records(1, 20)).singleElement().satisfies(record -> {
            assertThat(record.length).isEqualTo(214);
            assertThat(record.bytes).hasSize(20).isEqualTo(Arrays.copyOf(wanted, 20));
        });
        assertThatThrownBy(() -> writer(0))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void theTimeOfAPacketIsItsOwnIfItHasOne() throws IOException {
        try (PcapWriter writer = writer(100);
                PcapTap tap = PcapTap.open(right, EtherType.ALL, writer, () -> TIME_NS)) {
            SkBuff skb = Frames.frame(pool, RIGHT, LEFT, TYPE, new byte[30]);
            skb.setMacHeader(0);
            skb.pull(Ethernet.BYTES);
            skb.meta().tstamp(5);
            tap.see(skb);
            skb.free();
        }
        assertThat(records(1, 100)).singleElement().satisfies(record -> {
            assertThat(record.timeNs).isEqualTo(5);
            assertThat(record.length).isEqualTo(44);
        });
    }

    @Test
    void aTagBesideThePacketIsWrittenWhereItWas() throws IOException {
        for (int snap : new int[] {100, 14, 9}) {
            file.reset();
            SkBuff skb = Frames.frame(pool, RIGHT, LEFT, TYPE, new byte[] {1, 2, 3});
            try (PcapWriter writer = writer(snap);
                    PcapTap tap = PcapTap.open(right, EtherType.ALL, writer, () -> TIME_NS)) {
                skb.setMacHeader(0);
                skb.pull(Ethernet.BYTES);
                skb.meta().vlanTag(Ethernet.TYPE_VLAN, 0x6007);
                tap.see(skb);
            }
            skb.free();
            byte[] whole = {
                2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, (byte) 0x81, 0, 0x60, 7, (byte) 0x88, (byte) 0xB5, 1, 2, 3
            };
            assertThat(records(1, snap)).singleElement().satisfies(record -> {
                assertThat(record.length).isEqualTo(21);
                // A tag that does not fit completely is not compared.
                int told = snap == 14 ? 12 : Math.min(snap, 21);
                assertThat(record.bytes).hasSize(Math.min(snap, 21)).startsWith(Arrays.copyOf(whole, told));
            });
        }
    }

    @Test
    void aPacketWhoseMemoryIsGoneIsMissedAndTheNextOneWritten() throws IOException {
        Arena arena = Arena.ofShared();
        SkBuff gone = Frames.frame(pool, RIGHT, LEFT, TYPE, new byte[30]);
        gone.addFrag(arena.allocate(100), 0, 100);
        SkBuff there = Frames.frame(pool, RIGHT, LEFT, TYPE, new byte[30]);
        arena.close();
        try (PcapWriter writer = writer(1000);
                PcapTap tap = PcapTap.open(right, EtherType.ALL, writer, () -> TIME_NS)) {
            for (SkBuff skb : List.of(gone, there)) {
                skb.setMacHeader(0);
                skb.pull(Ethernet.BYTES);
                tap.see(skb);
                skb.free();
            }
            assertThat(tap.missed()).isEqualTo(1);
        }
        assertThat(records(1, 1000)).extracting(record -> record.length).containsExactly(44);
    }

    @Test
    void aFileThatIsFullDisturbsNobody() throws IOException {
        WritableByteChannel full = new WritableByteChannel() {
            private int left = 24;

            @Override
            public int write(ByteBuffer bytes) throws IOException {
                if (left == 0) {
                    throw new IOException("no space left on device");
                }
                left -= bytes.remaining();
                int taken = bytes.remaining();
                bytes.position(bytes.limit());
                return taken;
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        };
        List<byte[]> received = new ArrayList<>();
        right.protocols().addHandler(TYPE, skb -> {
            received.add(Packets.bytes(skb));
            skb.free();
        });
        PcapWriter writer = new PcapWriter(full, LinkType.ETHERNET, 2000);
        try (PcapTap tap = PcapTap.open(right, EtherType.ALL, writer, () -> TIME_NS)) {
            for (int i = 0; i < 200; i++) {
                arrive(RIGHT, TYPE, 1000);
            }
            assertThat(received).hasSize(200);
            assertThat(tap.missed()).isPositive();
        }
        arrive(RIGHT, TYPE, 1000);
        assertThatThrownBy(writer::close).isInstanceOf(IOException.class);
    }

    @Test
    void theTapClosesWithItsDevice() throws IOException {
        try (PcapWriter writer = writer(100)) {
            PcapTap tap = PcapTap.open(right, EtherType.ALL, writer, () -> TIME_NS);
            right.unregister();
            assertThat(right.link().isPromiscuous()).isFalse();
            tap.close();
            assertThat(right.link().promiscuity()).isZero();
        }
    }

    @Test
    void aPacketAllocatesNothing() throws IOException {
        WritableByteChannel nowhere = new WritableByteChannel() {
            @Override
            public int write(ByteBuffer bytes) {
                int taken = bytes.remaining();
                bytes.position(bytes.limit());
                return taken;
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        };
        SkBuff skb = Frames.frame(pool, RIGHT, LEFT, TYPE, new byte[1000]);
        skb.setMacHeader(0);
        skb.pull(Ethernet.BYTES);
        try (PcapWriter writer = new PcapWriter(nowhere, LinkType.ETHERNET, 2000);
                PcapTap tap = PcapTap.open(right, EtherType.ALL, writer, () -> TIME_NS)) {
            assertThat(AllocatedBytes.inSteadyState(() -> {
                        for (int i = 0; i < 10_000; i++) {
                            tap.see(skb);
                        }
                    }))
                    .isZero();
        }
        skb.free();
    }
}
