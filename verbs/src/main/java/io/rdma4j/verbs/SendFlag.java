package io.rdma4j.verbs;

/** How a send work request is to be treated; {@link #bit} is the bit of {@code enum ibv_send_flags}. */
public enum SendFlag {
    /** Wait until earlier RDMA READ and atomic requests of the queue have completed. */
    FENCE(1),
    /** Give a completion although the queue pair only signals requests that ask for it. */
    SIGNALED(2),
    /** Raise the receiver's event even if it waits for solicited completions only. */
    SOLICITED(4),
    /** The data are copied while posting; the buffers are free again at once. */
    INLINE(8),
    /** Insert IP and transport checksums (datagrams that carry IP). */
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
