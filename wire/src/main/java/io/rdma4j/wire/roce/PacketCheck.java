// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.roce;

/** The result of a format check by {@link RocePacket}. */
public enum PacketCheck {
    /** Well-formed: all headers of the opcode are present. */
    OK("ok"),
    /** Not RoCE: another protocol or another port. */
    NOT_ROCE("not RoCE"),
    /** The packet has fewer bytes than its headers state. */
    TRUNCATED("truncated"),
    /** The length in the IP or UDP header is too small for the headers that follow. */
    BAD_LENGTH("bad length in IP or UDP header"),
    /** A fragment; RoCE sets "don't fragment", and fragments are not reassembled. */
    FRAGMENT("IP fragment"),
    /** IPv4 options, which RoCEv2 does not permit. */
    IPV4_OPTIONS("IPv4 header with options"),
    /** Shorter than BTH and ICRC, or than the headers of the opcode with padding and ICRC. */
    TOO_SHORT("shorter than its headers"),
    /** Unknown opcode. */
    UNKNOWN_OPCODE("unknown opcode"),
    /** The transport version in the BTH is not 0. */
    BAD_VERSION("unknown transport version"),
    /** The length of headers, payload and padding is not a multiple of 4 bytes. */
    UNALIGNED("length is not a multiple of 4");

    private final String text;

    PacketCheck(String text) {
        this.text = text;
    }

    /** {@return true for {@link #OK}} */
    public boolean isOk() {
        return this == OK;
    }

    /** {@return the reason as text} */
    public String text() {
        return text;
    }
}
