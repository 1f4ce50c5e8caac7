// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.wr;

/** Flags of a completion; {@link #bit} is the bit of {@code enum ibv_wc_flags}. */
public enum WcFlag {
    /** The first 40 bytes of the receive buffer hold the global route header (datagrams only). */
    GRH(1),
    /** {@code immediate} is valid. */
    WITH_IMM(2),
    /** The IP checksum was verified. */
    IP_CSUM_OK(4),
    /** The peer's SEND with invalidate revoked {@code invalidatedRkey}. */
    WITH_INV(8);

    private final int bit;

    WcFlag(int bit) {
        this.bit = bit;
    }

    /** {@return the bit in {@code wc_flags}} */
    public int bit() {
        return bit;
    }
}
