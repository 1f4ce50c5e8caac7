// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pcap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.rdma4j.tools.CaptureFile;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CaptureReaderTest {
    private static final byte[] FRAME = CaptureFile.ethernet("0800", CaptureFile.IPV4);
    private static final byte[] NO_OPTIONS = {};
    private static final int MICROSECONDS = 0xA1B2_C3D4;
    private static final int NANOSECONDS = 0xA1B2_3C4D;

    /** A frame with a copy of its bytes, since the reader reuses its memory. */
    private record Seen(CaptureLinkType link, long timeNs, long originalLength, List<Byte> bytes) {}

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void classicFilesAreReadInBothOrdersAndResolutions(boolean bigEndian, boolean nanoseconds) throws IOException {
        ByteOrder order = bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        byte[] file = CaptureFile.pcap(order, nanoseconds ? NANOSECONDS : MICROSECONDS, 1)
                .record(5, 7, FRAME, 1500)
                .record(-1, 0, new byte[] {1}, 1)
                .toBytes();
        long fractionNs = nanoseconds ? 7 : 7_000;
        assertThat(read(file))
                .containsExactly(
                        new Seen(CaptureLinkType.ETHERNET, 5_000_000_000L + fractionNs, 1500, list(FRAME)),
                        new Seen(CaptureLinkType.ETHERNET, 0xFFFF_FFFFL * 1_000_000_000, 1, list(new byte[] {1})));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void blocksAreReadInBothOrders(boolean bigEndian) throws IOException {
        byte[] file = CaptureFile.pcapng(bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN)
                .pcapngInterface(1, 0, NO_OPTIONS)
                .pcapngInterface(113, 0, NO_OPTIONS)
                .block(5, body -> body.putInt(0).putLong(7))
                .enhancedPacket(0, 0x1_0000_0001L, FRAME, 2000)
                .enhancedPacket(1, 3, new byte[] {1, 2, 3}, 3)
                .oldPacket(1, new byte[] {4})
                .simplePacket(new byte[] {5, 6}, 2)
                .toBytes();
        assertThat(read(file))
                .containsExactly(
                        new Seen(CaptureLinkType.ETHERNET, 0x1_0000_0001L * 1_000, 2000, list(FRAME)),
                        new Seen(CaptureLinkType.LINUX_COOKED, 3_000, 3, list(new byte[] {1, 2, 3})),
                        new Seen(CaptureLinkType.LINUX_COOKED, 0, 1, list(new byte[] {4})),
                        new Seen(CaptureLinkType.ETHERNET, 0, 2, list(new byte[] {5, 6})));
    }

    @Test
    void aNewSectionMayChangeTheOrderAndForgetsTheInterfaces() throws IOException {
        byte[] file = CaptureFile.pcapng(ByteOrder.LITTLE_ENDIAN)
                .pcapngInterface(1, 0, NO_OPTIONS)
                .enhancedPacket(0, 1, new byte[] {1}, 1)
                .section(ByteOrder.BIG_ENDIAN)
                .pcapngInterface(276, 0, NO_OPTIONS)
                .enhancedPacket(0, 2, new byte[] {2}, 1)
                .toBytes();
        assertThat(read(file))
                .extracting(Seen::link, Seen::timeNs)
                .containsExactly(
                        tuple(CaptureLinkType.ETHERNET, 1_000L), tuple(CaptureLinkType.LINUX_COOKED_V2, 2_000L));
    }

    @ParameterizedTest
    @CsvSource({
        // Option if_tsresol with its value, ticks, nanoseconds.
        "9, 123456789123, 123456789123",
        "3, 1500, 1500000000",
        "12, 5000, 5",
        "0, 2, 2000000000",
        "138, 1536, 1500000000",
        "160, 4294967296, 1000000000",
    })
    void timesAreInTheInterfacesResolution(int resolution, long ticks, long expectedNs) throws IOException {
        byte[] option = {9, 0, 1, 0, (byte) resolution, 0, 0, 0, 0, 0, 0, 0};
        byte[] file = CaptureFile.pcapng(ByteOrder.LITTLE_ENDIAN)
                .pcapngInterface(1, 0, option)
                .enhancedPacket(0, ticks, FRAME, FRAME.length)
                .toBytes();
        assertThat(read(file)).extracting(Seen::timeNs).containsExactly(expectedNs);
    }

    @Test
    void timesAreMovedByTheInterfacesOffset() throws IOException {
        byte[] options = {2, 0, 3, 0, 'e', 't', 'h', 0, 14, 0, 8, 0, 10, 0, 0, 0, 0, 0, 0, 0};
        byte[] file = CaptureFile.pcapng(ByteOrder.LITTLE_ENDIAN)
                .pcapngInterface(1, 0, options)
                .enhancedPacket(0, 1, FRAME, FRAME.length)
                .toBytes();
        assertThat(read(file)).extracting(Seen::timeNs).containsExactly(10_000_001_000L);
    }

    @Test
    void aSimplePacketIsCutAtTheSnapLength() throws IOException {
        byte[] file = CaptureFile.pcapng(ByteOrder.LITTLE_ENDIAN)
                .pcapngInterface(1, 2, NO_OPTIONS)
                .simplePacket(new byte[] {1, 2}, 100)
                .toBytes();
        assertThat(read(file)).containsExactly(new Seen(CaptureLinkType.ETHERNET, 0, 100, list(new byte[] {1, 2})));
    }

    @Test
    void filesThatAreNoCapturesAreNamedSo() {
        assertThatThrownBy(() -> read(new byte[0]))
                .isInstanceOf(CaptureException.class)
                .hasMessage("the file is empty");
        assertThatThrownBy(() -> read("#!/bin/sh".getBytes(StandardCharsets.US_ASCII)))
                .isInstanceOf(CaptureException.class)
                .hasMessage("neither pcap nor pcapng: it starts with 0x23212f62");
        assertThatThrownBy(() -> read(new byte[3])).isInstanceOf(EOFException.class);
    }

    @Test
    void anUnknownLinkTypeIsNamed() {
        assertThatThrownBy(() -> read(CaptureFile.pcap(105).toBytes()))
                .isInstanceOf(CaptureException.class)
                .hasMessageStartingWith("link type 105 is not supported");
        assertThatThrownBy(() -> read(CaptureFile.pcapng(ByteOrder.LITTLE_ENDIAN)
                        .pcapngInterface(105, 0, NO_OPTIONS)
                        .enhancedPacket(0, 0, FRAME, FRAME.length)
                        .toBytes()))
                .isInstanceOf(CaptureException.class)
                .hasMessageStartingWith("link type 105 is not supported");
    }

    @Test
    void impossibleLengthsAreRefused() {
        byte[] classic = CaptureFile.pcap(1).record(FRAME).toBytes();
        ByteBuffer.wrap(classic).order(ByteOrder.LITTLE_ENDIAN).putInt(24 + 8, -1);
        assertThatThrownBy(() -> read(classic))
                .isInstanceOf(CaptureException.class)
                .hasMessageContaining("4294967295 bytes");
        byte[] blocks = CaptureFile.pcapng(ByteOrder.LITTLE_ENDIAN)
                .pcapngInterface(1, 0, NO_OPTIONS)
                .enhancedPacket(0, 0, FRAME, FRAME.length)
                .toBytes();
        ByteBuffer.wrap(blocks).order(ByteOrder.LITTLE_ENDIAN).putInt(28 + 20 + 20, FRAME.length + 5);
        assertThatThrownBy(() -> read(blocks))
                .isInstanceOf(CaptureException.class)
                .hasMessageContaining("too short");
        assertThatThrownBy(() -> read(CaptureFile.pcapng(ByteOrder.LITTLE_ENDIAN)
                        .enhancedPacket(0, 0, FRAME, FRAME.length)
                        .toBytes()))
                .isInstanceOf(CaptureException.class)
                .hasMessage("packet of interface 0, but the section has 0");
    }

    @Test
    void everyCutOfAFileIsNoticedOrLiesBetweenRecords() throws IOException {
        byte[] file = CaptureFile.pcap(1).record(FRAME).record(FRAME).toBytes();
        int record = 16 + FRAME.length;
        for (int length = 1; length < file.length; length++) {
            byte[] cut = Arrays.copyOf(file, length);
            if (length >= 24 && (length - 24) % record == 0) {
                assertThat(read(cut)).hasSize((length - 24) / record);
            } else {
                assertThatThrownBy(() -> read(cut)).isInstanceOf(EOFException.class);
            }
        }
    }

    @Test
    void randomDamageEndsInAnIoExceptionOrNotAtAll() {
        byte[] classic = CaptureFile.pcap(1).record(FRAME).record(FRAME).toBytes();
        byte[] blocks = CaptureFile.pcapng(ByteOrder.BIG_ENDIAN)
                .pcapngInterface(1, 0, new byte[] {0, 9, 0, 1, 6, 0, 0, 0})
                .enhancedPacket(0, 5, FRAME, FRAME.length)
                .simplePacket(FRAME, FRAME.length)
                .toBytes();
        SplittableRandom random = new SplittableRandom(11);
        int refused = 0;
        for (int run = 0; run < 5_000; run++) {
            byte[] damaged = (random.nextBoolean() ? classic : blocks).clone();
            for (int i = random.nextInt(4); i >= 0; i--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            try {
                read(damaged);
            } catch (IOException e) {
                refused++;
            }
        }
        assertThat(refused).isBetween(500, 4_500);
    }

    private static List<Seen> read(byte[] file) throws IOException {
        List<Seen> frames = new ArrayList<>();
        try (CaptureReader reader = CaptureReader.of(Channels.newChannel(new ByteArrayInputStream(file)))) {
            for (CapturedFrame frame = reader.next(); frame != null; frame = reader.next()) {
                byte[] bytes = frame.memory().toArray(ValueLayout.JAVA_BYTE);
                frames.add(new Seen(frame.link(), frame.timeNs(), frame.originalLength(), list(bytes)));
            }
        }
        return frames;
    }

    private static List<Byte> list(byte[] bytes) {
        List<Byte> list = new ArrayList<>(bytes.length);
        for (byte b : bytes) {
            list.add(b);
        }
        return list;
    }
}
