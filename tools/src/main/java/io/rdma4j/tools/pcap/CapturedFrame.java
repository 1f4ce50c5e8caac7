// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pcap;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * One frame of a capture.
 *
 * @param link type of its first header
 * @param timeNs capture time, nanoseconds since 1970
 * @param originalLength its bytes on the wire; more than {@code memory} has if the capture was cut
 * @param memory the captured bytes, native, valid until the next frame is read
 * @param view the same bytes as a direct buffer; position and limit are undefined
 */
public record CapturedFrame(
        CaptureLinkType link, long timeNs, long originalLength, MemorySegment memory, ByteBuffer view) {
    /** Number of captured bytes. */
    public int length() {
        return (int) memory.byteSize();
    }
}
