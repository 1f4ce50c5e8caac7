// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.base.Gid;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Address of a queue pair of a test and of its memory. Corresponds to {@code struct pingpong_dest}.
 *
 * @param lid 16 bits; 0 on Ethernet
 * @param outstandingReads maximum number of outstanding READs and atomics that its device serves
 * @param qpn queue pair number, 24 bits
 * @param psn the first PSN that it sends, 24 bits
 * @param rkey 32 bits
 * @param address memory that the other side may write or read
 * @param gid of the port
 * @param srqn shared receive queue; 0 without XRC
 */
record PerfAddress(int lid, int outstandingReads, int qpn, int psn, int rkey, long address, Gid gid, int srqn) {
    /** Bytes of the message with an address; the last one is 0, as in C. */
    static final int MESSAGE_BYTES = 108;

    /** Bytes of the C struct. */
    private static final int STRUCT_BYTES = 56;

    private static final int STRUCT_GID = 32;

    /** Stands for an address before there is one. */
    static final PerfAddress NONE = new PerfAddress(0, 0, 0, 0, 0, 0, Gid.ZERO, 0);

    private static final String NUMBER = "(\\p{XDigit}{1,16}):";
    private static final String OCTET = "\\p{XDigit}{2}:";
    private static final Pattern MESSAGE =
            Pattern.compile(NUMBER.repeat(6) + "((?:" + OCTET + "){16})" + NUMBER + "\0.*", Pattern.DOTALL);

    /** Encodes the message: hexadecimal numbers, each followed by a colon; the GID octet by octet. */
    byte[] encode() {
        String octets = gid.toHex().replaceAll("..", "$0:");
        String text = String.format(
                Locale.ROOT,
                "%04x:%04x:%06x:%06x:%08x:%016x:%s%08x:\0",
                lid,
                outstandingReads,
                qpn,
                psn,
                rkey,
                address,
                octets,
                srqn);
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Decodes a message; empty if it is malformed. Accepts any number of digits, as {@code strtol}. */
    static Optional<PerfAddress> decode(byte[] message) {
        Matcher matcher = MESSAGE.matcher(new String(message, StandardCharsets.ISO_8859_1));
        if (!matcher.matches()) {
            return Optional.empty();
        }
        return Optional.of(new PerfAddress(
                (int) hex(matcher, 1),
                (int) hex(matcher, 2),
                (int) hex(matcher, 3),
                (int) hex(matcher, 4),
                (int) hex(matcher, 5),
                hex(matcher, 6),
                Gid.ofHex(matcher.group(7).replace(":", "")),
                (int) hex(matcher, 8)));
    }

    /** Encodes the C struct, in network order: numbers of 32 bits, and 64 bits for the address of the memory. */
    byte[] toStruct() {
        return ByteBuffer.allocate(STRUCT_BYTES)
                .putInt(lid)
                .putInt(outstandingReads)
                .putInt(qpn)
                .putInt(psn)
                .putInt(rkey)
                .putInt(0)
                .putLong(address)
                .put(gid.toBytes())
                .putInt(srqn)
                .array();
    }

    /** Decodes the C struct. */
    static PerfAddress ofStruct(byte[] struct) {
        ByteBuffer in = ByteBuffer.wrap(struct);
        byte[] gid = Arrays.copyOfRange(struct, STRUCT_GID, STRUCT_GID + Gid.BYTES);
        return new PerfAddress(
                in.getInt(0),
                in.getInt(4),
                in.getInt(8),
                in.getInt(12),
                in.getInt(16),
                in.getLong(24),
                Gid.ofBytes(gid),
                in.getInt(STRUCT_GID + Gid.BYTES));
    }

    private static long hex(Matcher matcher, int group) {
        return Long.parseUnsignedLong(matcher.group(group), 16);
    }

    /**
     * Formats the two lines for the user.
     *
     * @param side {@code local} or {@code remote}
     */
    String lines(String side, Verb verb) {
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                " %s address: LID %s QPN %s PSN %s",
                side,
                alternate(4, lid),
                alternate(6, qpn),
                alternate(6, psn)));
        if (verb == Verb.READ) {
            line.append(" OUT ").append(alternate(4, outstandingReads));
        }
        if (verb == Verb.READ || verb == Verb.WRITE) {
            line.append(" RKey ").append(alternate(8, Integer.toUnsignedLong(rkey)));
            line.append(" VAddr ").append(alternate(16, address));
        }
        line.append(System.lineSeparator()).append(" GID: ");
        byte[] octets = gid.toBytes();
        for (int i = 0; i < octets.length; i++) {
            line.append(i == 0 ? "" : ":").append(String.format(Locale.ROOT, "%02d", Byte.toUnsignedInt(octets[i])));
        }
        return line.toString();
    }

    /** {@code %#0Nx} of C: the width counts the prefix, and 0 has none. */
    private static String alternate(int width, long value) {
        return value == 0
                ? "0".repeat(width)
                : String.format(Locale.ROOT, "0x%0" + Math.max(1, width - 2) + "x", value);
    }

    Map<String, Object> json() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("lid", lid);
        members.put("qpn", qpn);
        members.put("psn", psn);
        members.put("gid", gid.toString());
        return members;
    }
}
