// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ib;

/** The result of {@link LocalPacket#check}. */
public enum LocalPacketCheck {
    /** Well-formed. */
    OK("ok"),
    /** Shorter than a local route header and a variant CRC. */
    TOO_SHORT("shorter than its headers"),
    /** The version of the link headers is not 0. */
    BAD_VERSION("unknown version of the link headers"),
    /** The packet length in the local route header is not that of the packet. */
    BAD_LENGTH("bad length in the local route header"),
    /** The global route header has another version, next header or length. */
    BAD_GRH("bad global route header"),
    /** The transport headers are malformed. */
    BAD_TRANSPORT("bad transport headers");

    private final String text;

    LocalPacketCheck(String text) {
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
