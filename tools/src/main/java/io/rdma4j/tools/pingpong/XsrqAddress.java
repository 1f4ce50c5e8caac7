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
 * Address of one end of an XRC ping-pong.
 *
 * @param lid 16 bits; 0 on Ethernet
 * @param receiveQpn of the target queue pair, 24 bits
 * @param sendQpn of the initiator queue pair, 24 bits
 * @param psn the first PSN that both send, 24 bits
 * @param srqn number of the shared receive queue, 24 bits
 * @param gid of the port
 */
record XsrqAddress(int lid, int receiveQpn, int sendQpn, int psn, int srqn, Gid gid) {
    /** Bytes of the message with an address; the last one is 0, as in C. */
    static final int MESSAGE_BYTES = 66;

    private static final Pattern MESSAGE =
            Pattern.compile("(\\p{XDigit}{4}):" + "(\\p{XDigit}{6}):".repeat(4) + "(\\p{XDigit}{32})\0");

    byte[] encode() {
        return String.format(
                        Locale.ROOT, "%04x:%06x:%06x:%06x:%06x:%s\0", lid, receiveQpn, sendQpn, psn, srqn, gid.toHex())
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** Decodes a message; empty if it is malformed. */
    static Optional<XsrqAddress> decode(byte[] message) {
        Matcher matcher = MESSAGE.matcher(new String(message, StandardCharsets.ISO_8859_1));
        if (!matcher.matches()) {
            return Optional.empty();
        }
        return Optional.of(new XsrqAddress(
                hex(matcher, 1),
                hex(matcher, 2),
                hex(matcher, 3),
                hex(matcher, 4),
                hex(matcher, 5),
                Gid.ofHex(matcher.group(6))));
    }

    private static int hex(Matcher matcher, int group) {
        return Integer.parseInt(matcher.group(group), 16);
    }

    /** Formats the line for the user. */
    String line(String title) {
        return String.format(
                Locale.ROOT,
                "%8s: LID %04x, QPN RECV %06x SEND %06x, PSN %06x, SRQN %06x, GID %s",
                title,
                lid,
                receiveQpn,
                sendQpn,
                psn,
                srqn,
                gid);
    }

    Map<String, Object> json() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("lid", lid);
        members.put("recv_qpn", receiveQpn);
        members.put("send_qpn", sendQpn);
        members.put("psn", psn);
        members.put("srqn", srqn);
        members.put("gid", gid.toString());
        return members;
    }
}
