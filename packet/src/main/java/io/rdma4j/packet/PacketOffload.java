package io.rdma4j.packet;

/**
 * The work that the sender of a buffer left to the device: cutting a train into packets, padding, checksums.
 *
 * <p>The protocol that built the buffer implements this (the kernel's {@code gso_segment} callback and {@code ip_summed}
 * in one). A device that takes trains may carry the buffer on whole; for any other, one packet after the other is made
 * from it where bytes leave the host's memory. Methods run on the thread that owns the device's loop and allocate
 * nothing.
 */
public interface PacketOffload {
    /**
     * {@return bytes of a finished packet, from the first byte of its network header to the last byte of its trailer}
     *
     * @param train the buffer as the sender built it; not changed
     * @param index which packet, {@code 0 .. gsoSegs - 1} (0 if it is no train)
     */
    int segmentBytes(SkBuff train, int index);

    /**
     * Builds one finished packet: headers, payload gathered, padding and checksums, all in the linear part.
     *
     * @param train the buffer as the sender built it; not changed
     * @param index which packet, {@code 0 .. gsoSegs - 1} (0 if it is no train)
     * @param target an empty buffer with room for {@link #segmentBytes} bytes behind its headroom; it gets the data and
     *     the header offsets
     * @return false if the memory behind a fragment was taken away: there is no such packet any more, and {@code target}
     *     is to be freed
     */
    boolean segment(SkBuff train, int index, SkBuff target);
}
