package io.rdma4j.wire;

/** What {@link RocePacket} finds when it checks the shape of a packet. */
public enum PacketCheck {
    /** Well-formed: all headers of the opcode are there. */
    OK("ok"),
    /** Not RoCE at all: other protocol, other port. */
    NOT_ROCE("not RoCE"),
    /** Fewer bytes are here than the headers say there are. */
    TRUNCATED("truncated"),
    /** The lengths in IP and UDP header leave no room for what has to follow. */
    BAD_LENGTH("bad length in IP or UDP header"),
    /** A fragment; RoCE sets "don't fragment" and fragments are not put together. */
    FRAGMENT("IP fragment"),
    /** IPv4 options, which RoCEv2 does not have. */
    IPV4_OPTIONS("IPv4 header with options"),
    /** Shorter than BTH and ICRC, or than the headers of the opcode with pad and ICRC. */
    TOO_SHORT("shorter than its headers"),
    /** The table has no such opcode. */
    UNKNOWN_OPCODE("unknown opcode"),
    /** The BTH's version is not 0. */
    BAD_VERSION("unknown transport version"),
    /** Headers, payload and pad are not a multiple of four bytes. */
    UNALIGNED("length is not a multiple of 4");

    private final String text;

    PacketCheck(String text) {
        this.text = text;
    }

    /** {@return true for {@link #OK}} */
    public boolean isOk() {
        return this == OK;
    }

    /** {@return the reason, for people} */
    public String text() {
        return text;
    }
}
