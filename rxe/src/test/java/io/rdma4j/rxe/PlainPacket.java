// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.Gid;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32;

/** A RoCEv2 packet built byte by byte, without the codecs under test. Setters return the packet itself. */
final class PlainPacket {
    static final int SEND_FIRST = 0x00;
    static final int SEND_MIDDLE = 0x01;
    static final int SEND_LAST_IMMEDIATE = 0x03;
    static final int SEND_ONLY = 0x04;
    static final int ACKNOWLEDGE = 0x11;

    private static final int UDP_BYTES = 8;
    private static final int BTH_BYTES = 12;
    private static final int ICRC_BYTES = 4;

    private final Gid source;
    private final Gid destination;
    private int sourcePort = 0xC123;
    private int identification;
    private int trafficClass;
    private int flowLabel;
    private int hopLimit = 64;
    private int opcode = SEND_ONLY;
    private int version;
    private boolean solicited;
    private boolean migrated = true;
    private boolean ackRequest;
    private int pkey = 0xFFFF;
    private int qpn;
    private int psn;
    private byte[] extended = {};
    private byte[] payload = {};

    PlainPacket(Gid source, Gid destination) {
        this.source = source;
        this.destination = destination;
    }

    PlainPacket sourcePort(int value) {
        sourcePort = value;
        return this;
    }

    /** IPv4 only. */
    PlainPacket identification(int value) {
        identification = value;
        return this;
    }

    PlainPacket route(int newTrafficClass, int newFlowLabel, int newHopLimit) {
        trafficClass = newTrafficClass;
        flowLabel = newFlowLabel;
        hopLimit = newHopLimit;
        return this;
    }

    PlainPacket opcode(int value) {
        opcode = value;
        return this;
    }

    /** Transport header version, 4 bits. */
    PlainPacket version(int value) {
        version = value;
        return this;
    }

    PlainPacket solicited(boolean value) {
        solicited = value;
        return this;
    }

    /** MigReq; the default is true. */
    PlainPacket migrated(boolean value) {
        migrated = value;
        return this;
    }

    PlainPacket ackRequest(boolean value) {
        ackRequest = value;
        return this;
    }

    PlainPacket pkey(int value) {
        pkey = value;
        return this;
    }

    PlainPacket qpn(int value) {
        qpn = value;
        return this;
    }

    PlainPacket psn(int value) {
        psn = value;
        return this;
    }

    /** Extended transport headers. */
    PlainPacket extended(int... words) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * words.length);
        Arrays.stream(words).forEach(bytes::putInt);
        extended = bytes.array();
        return this;
    }

    PlainPacket payload(byte... bytes) {
        payload = bytes.clone();
        return this;
    }

    /** The bytes from the IP header to the ICRC. */
    byte[] bytes() {
        int pad = -payload.length & 3;
        int udpBytes = UDP_BYTES + BTH_BYTES + extended.length + payload.length + pad + ICRC_BYTES;
        byte[] bytes = new byte[ipBytes() + udpBytes];
        ByteBuffer packet = ByteBuffer.wrap(bytes);
        if (destination.isIpv4()) {
            putIpv4(packet, udpBytes);
            packet.putShort(10, checksum(bytes));
        } else {
            putIpv6(packet, udpBytes);
        }
        packet.putShort((short) sourcePort)
                .putShort((short) 4791)
                .putShort((short) udpBytes)
                .putShort((short) 0);
        packet.put((byte) opcode).put((byte) ((solicited ? 0x80 : 0) | (migrated ? 0x40 : 0) | pad << 4 | version));
        packet.putShort((short) pkey).putInt(qpn).putInt((ackRequest ? 0x8000_0000 : 0) | psn);
        packet.put(extended).put(payload).put(new byte[pad]);
        packet.order(ByteOrder.LITTLE_ENDIAN).putInt(icrc(bytes));
        return bytes;
    }

    /** The bytes as received through a UDP socket: the identification is missing, but the ICRC covers it. */
    byte[] bytesWithoutIdentification() {
        byte[] bytes = bytes();
        ByteBuffer packet = ByteBuffer.wrap(bytes).putShort(4, (short) 0).putShort(10, (short) 0);
        packet.putShort(10, checksum(bytes));
        return bytes;
    }

    private int ipBytes() {
        return destination.isIpv4() ? 20 : 40;
    }

    private void putIpv4(ByteBuffer packet, int udpBytes) {
        packet.put((byte) 0x45).put((byte) trafficClass).putShort((short) (20 + udpBytes));
        packet.putShort((short) identification).putShort((short) 0x4000);
        packet.put((byte) hopLimit).put((byte) 17).putShort((short) 0);
        packet.putInt(source.ipv4()).putInt(destination.ipv4());
    }

    private static short checksum(byte[] packet) {
        int sum = 0;
        for (int i = 0; i < 20; i += 2) {
            sum += Byte.toUnsignedInt(packet[i]) << 8 | Byte.toUnsignedInt(packet[i + 1]);
        }
        sum = (sum & 0xFFFF) + (sum >>> 16);
        return (short) ~(sum + (sum >>> 16));
    }

    private void putIpv6(ByteBuffer packet, int udpBytes) {
        packet.putInt(6 << 28 | trafficClass << 20 | flowLabel).putShort((short) udpBytes);
        packet.put((byte) 17).put((byte) hopLimit);
        packet.putLong(source.prefix()).putLong(source.interfaceId());
        packet.putLong(destination.prefix()).putLong(destination.interfaceId());
    }

    private int icrc(byte[] packet) {
        byte[] masked = packet.clone();
        int[] variant = destination.isIpv4() ? new int[] {1, 8, 10, 11} : new int[] {1, 2, 3, 7};
        for (int at : variant) {
            masked[at] = -1;
        }
        if (!destination.isIpv4()) {
            masked[0] |= 0x0F;
        }
        int udp = ipBytes();
        masked[udp + 6] = -1;
        masked[udp + 7] = -1;
        masked[udp + UDP_BYTES + 4] = -1;
        CRC32 crc = new CRC32();
        crc.update(new byte[] {-1, -1, -1, -1, -1, -1, -1, -1});
        crc.update(masked, 0, masked.length - ICRC_BYTES);
        return (int) crc.getValue();
    }
}
