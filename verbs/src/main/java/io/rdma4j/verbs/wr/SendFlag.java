// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.wr;

/** Options of a send work request; {@link #bit} is the bit of {@code enum ibv_send_flags}. */
public enum SendFlag {
    /** Wait until earlier RDMA READ and atomic requests of the queue have completed ({@code IBV_SEND_FENCE}). */
    FENCE(1),
    /** Generate a completion even with {@link SignalType#REQ_WR} ({@code IBV_SEND_SIGNALED}). */
    SIGNALED(2),
    /**
     * Raise the receiver's completion event even if the receiver requested events for solicited completions only
     * ({@code IBV_SEND_SOLICITED}).
     */
    SOLICITED(4),
    /** Copy the data while posting, so that the application can reuse the memory at once ({@code IBV_SEND_INLINE}). */
    INLINE(8),
    /** Insert IP and transport checksums in datagrams that carry IP ({@code IBV_SEND_IP_CSUM}). */
    IP_CSUM(16);

    private final int bit;

    SendFlag(int bit) {
        this.bit = bit;
    }

    /** {@return the bit in {@code send_flags}} */
    public int bit() {
        return bit;
    }
}
