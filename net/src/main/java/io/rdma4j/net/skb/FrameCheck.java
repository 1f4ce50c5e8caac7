// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import io.rdma4j.packet.PacketMeta;
import io.rdma4j.packet.SkBuff;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;

/**
 * The frame check sequence in the last four bytes of an Ethernet frame (IEEE 802.3, 3.2.9): a CRC-32 of all preceding
 * bytes, lowest byte first. Adapters add and remove it; a frame with {@link PacketMeta#noFcs} already contains it.
 *
 * <p>Frames must be linear. One thread at a time may use it. Allocates nothing.
 */
public final class FrameCheck {
    /** Length of the sequence, bytes ({@code ETH_FCS_LEN}). */
    public static final int BYTES = 4;

    private static final ValueLayout.OfInt LITTLE_ENDIAN =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final CRC32 crc = new CRC32();

    /** Creates an object for one thread. */
    public FrameCheck() {}

    /**
     * Appends the sequence and sets {@link PacketMeta#noFcs}. The frame must have tailroom.
     *
     * @param frame a linear frame that begins with its link header
     */
    public void append(SkBuff frame) {
        int sum = compute(frame, frame.headLen());
        frame.memory().set(LITTLE_ENDIAN, frame.put(BYTES), sum);
        frame.meta().noFcs(true);
    }

    /**
     * {@return true if the last four bytes are the check sequence of the others}
     *
     * @param frame a linear frame that begins with its link header
     */
    public boolean fits(SkBuff frame) {
        int covered = frame.headLen() - BYTES;
        return covered >= 0
                && frame.memory().get(LITTLE_ENDIAN, frame.data() + (long) covered) == compute(frame, covered);
    }

    /**
     * Removes the sequence, correct or not.
     *
     * @param frame a linear frame that begins with its link header
     */
    public static void strip(SkBuff frame) {
        frame.trim(frame.headLen() - BYTES);
        frame.meta().noFcs(false);
    }

    private int compute(SkBuff frame, int length) {
        ByteBuffer bytes = frame.bytes().clear();
        bytes.limit(frame.data() + length).position(frame.data());
        crc.reset();
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
