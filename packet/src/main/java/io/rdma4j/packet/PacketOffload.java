// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

/**
 * Completes a buffer that its sender left unfinished: segmentation of a train, padding, checksums.
 *
 * <p>The protocol that built the buffer implements this interface. It combines the kernel's {@code gso_segment}
 * callback and {@code ip_summed}. A device that supports trains may forward the buffer unchanged. For any other device,
 * single packets are built from it before the bytes leave the host's memory. Methods run on the thread that owns the
 * loop of the device and do not allocate.
 */
public interface PacketOffload {
    /**
     * {@return length of a finished packet in bytes, from the network header to the end of the trailer}
     *
     * @param train the buffer as the sender built it; not changed
     * @param index of the packet, {@code 0 .. gsoSegs - 1} (0 if the buffer is not a train)
     */
    int segmentBytes(SkBuff train, int index);

    /**
     * Builds one finished packet in the linear part: headers, gathered payload, padding and checksums.
     *
     * @param train the buffer as the sender built it; not changed
     * @param index of the packet, {@code 0 .. gsoSegs - 1} (0 if the buffer is not a train)
     * @param target an empty buffer with room for {@link #segmentBytes} bytes behind its headroom; receives the data
     *     and the header offsets
     * @return false if the memory behind a fragment is closed: no packet is built, and the caller frees {@code target}
     */
    boolean segment(SkBuff train, int index, SkBuff target);
}
