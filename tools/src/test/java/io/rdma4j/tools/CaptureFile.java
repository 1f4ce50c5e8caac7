// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.Consumer;

/** Builds captures byte by byte, with a packet whose ICRC another implementation computed. */
public final class CaptureFile {
    /** UC SEND Only over IPv4, from the IP header to the ICRC, with UDP checksum. */
    public static final byte[] IPV4 = hex("45010040047840004011b4d5c0a80007c0a80007 c00012b7002caca2"
            + "2460ffff000000d300cf1710 4630818be28935d90e9a95505401be885e500000 78f353f3");

    /** The same over IPv6. */
    public static final byte[] IPV6 =
            hex("6e21face002c11ff 20220000000000000000000000001023 20230000000000000000000000001024 c00012b7002c0000"
                    + "2460ffff000000d300cf1710 4630818be28935d90e9a95505401be885e500000 3e5b743b");

    /** RC RDMA WRITE Only in RoCEv1, from the GRH on, captured from hardware. */
    public static final byte[] GRH =
            hex("60200000 0028 1b40 00000000000000000000ffff0f000002 00000000000000000000ffff0f000002"
                    + "0a70ffff 0000010a 80a788bc 000055d4c0726000 000047b3 00000005 00000000 01000000 e3d856bb");

    private static final int MICROSECONDS = 0xA1B2_C3D4;
    private static final int CAPACITY = 1 << 16;

    private final ByteBuffer bytes;

    private CaptureFile(ByteOrder order) {
        bytes = ByteBuffer.allocate(CAPACITY).order(order);
    }

    static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits.replace(" ", ""));
    }

    /** A frame: two MAC addresses, then {@code typeAndTags}, then the packet. */
    public static byte[] ethernet(String typeAndTags, byte[] packet) {
        return join(hex("7cfe90753cd8 7cfe90753cd9" + typeAndTags), packet);
    }

    public static byte[] join(byte[] head, byte[] tail) {
        byte[] all = Arrays.copyOf(head, head.length + tail.length);
        System.arraycopy(tail, 0, all, head.length, tail.length);
        return all;
    }

    /** The header of a classic file. */
    public static CaptureFile pcap(ByteOrder order, int magic, int linkType) {
        CaptureFile file = new CaptureFile(order);
        file.bytes.putInt(magic).putShort((short) 2).putShort((short) 4).putLong(0);
        file.bytes.putInt(CAPACITY).putInt(linkType);
        return file;
    }

    /** A little-endian classic file with microseconds. */
    public static CaptureFile pcap(int linkType) {
        return pcap(ByteOrder.LITTLE_ENDIAN, MICROSECONDS, linkType);
    }

    /** A record of a classic file. */
    public CaptureFile record(int seconds, int fraction, byte[] frame, int originalLength) {
        bytes.putInt(seconds).putInt(fraction).putInt(frame.length).putInt(originalLength);
        bytes.put(frame);
        return this;
    }

    public CaptureFile record(byte[] frame) {
        return record(1, 0, frame, frame.length);
    }

    /** The first section of a pcapng file. */
    public static CaptureFile pcapng(ByteOrder order) {
        return new CaptureFile(order).section(order);
    }

    /** A section header; what follows is in {@code order}. */
    public CaptureFile section(ByteOrder order) {
        bytes.order(order);
        return block(
                0x0A0D_0D0A,
                body -> body.putInt(0x1A2B_3C4D)
                        .putShort((short) 1)
                        .putShort((short) 0)
                        .putLong(-1));
    }

    /** An interface description; {@code options} are whole options in the section's order. */
    public CaptureFile pcapngInterface(int linkType, int snapLength, byte[] options) {
        return block(
                1,
                body -> body.putShort((short) linkType)
                        .putShort((short) 0)
                        .putInt(snapLength)
                        .put(options));
    }

    public CaptureFile enhancedPacket(int interfaceNumber, long ticks, byte[] frame, int originalLength) {
        return block(
                6,
                body -> body.putInt(interfaceNumber)
                        .putInt((int) (ticks >>> 32))
                        .putInt((int) ticks)
                        .putInt(frame.length)
                        .putInt(originalLength)
                        .put(frame));
    }

    /** The packet block of the first drafts, which some programs still write. */
    public CaptureFile oldPacket(int interfaceNumber, byte[] frame) {
        return block(
                2,
                body -> body.putShort((short) interfaceNumber)
                        .putShort((short) 0)
                        .putLong(0)
                        .putInt(frame.length)
                        .putInt(frame.length)
                        .put(frame));
    }

    public CaptureFile simplePacket(byte[] frame, int originalLength) {
        return block(3, body -> body.putInt(originalLength).put(frame));
    }

    /** Appends a block of any type; pads its body. */
    public CaptureFile block(int type, Consumer<ByteBuffer> body) {
        int start = bytes.position();
        bytes.putInt(type).putInt(0);
        body.accept(bytes);
        while (bytes.position() % 4 != 0) {
            bytes.put((byte) 0);
        }
        int length = bytes.position() + 4 - start;
        bytes.putInt(length).putInt(start + 4, length);
        return this;
    }

    public byte[] toBytes() {
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    public Path write(Path directory) throws IOException {
        return Files.write(Files.createTempFile(directory, "capture", ".pcap"), toBytes());
    }
}
