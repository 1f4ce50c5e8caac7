// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import io.rdma4j.base.Gid;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Address of one end of a ping-pong. Corresponds to {@code struct pingpong_dest}.
 *
 * @param lid 16 bits; 0 on Ethernet
 * @param qpn queue pair number, 24 bits
 * @param psn the first PSN that it sends, 24 bits
 * @param gid zero for a path without global route
 */
record PingPongAddress(int lid, int qpn, int psn, Gid gid) {
    /** Bytes of the message with an address; the last one is 0, as in C. */
    static final int MESSAGE_BYTES = 52;

    /** Address of a queue pair that does not exist. */
    static final PingPongAddress NONE = new PingPongAddress(0, 0, 0, Gid.ZERO);

    private static final Pattern MESSAGE =
            Pattern.compile("(\\p{XDigit}{4}):(\\p{XDigit}{6}):(\\p{XDigit}{6}):(\\p{XDigit}{32})\0");

    /** Encodes the message: LID, QPN, PSN and GID as hexadecimal numbers, with colons in between. */
    byte[] encode() {
        return String.format(Locale.ROOT, "%04x:%06x:%06x:%s\0", lid, qpn, psn, gid.toHex())
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** Decodes a message; empty if it is malformed. */
    static Optional<PingPongAddress> decode(byte[] message) {
        Matcher matcher = MESSAGE.matcher(new String(message, StandardCharsets.ISO_8859_1));
        if (!matcher.matches()) {
            return Optional.empty();
        }
        return Optional.of(
                new PingPongAddress(hex(matcher, 1), hex(matcher, 2), hex(matcher, 3), Gid.ofHex(matcher.group(4))));
    }

    private static int hex(Matcher matcher, int group) {
        return Integer.parseInt(matcher.group(group), 16);
    }

    /**
     * Formats the line for the user.
     *
     * @param separator between PSN and GID
     */
    String line(String title, String separator) {
        return String.format(
                Locale.ROOT,
                "  %-15s LID 0x%04x, QPN 0x%06x, PSN 0x%06x%s GID %s",
                title + ":",
                lid,
                qpn,
                psn,
                separator,
                gid);
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
