package io.rdma4j.net.skb;

import io.rdma4j.packet.SkBuff;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;

/**
 * The check sequence in the last four bytes of an Ethernet frame (IEEE 802.3, 3.2.9): CRC-32 over all before it, lowest byte
 * first. Adapters add and take it; a frame with {@link SkBuff#noFcs} brings its own.
 *
 * <p>Frames lie in the linear part. By one thread at a time; allocates nothing.
 */
public final class FrameCheck {
    /** Bytes of the sequence ({@code ETH_FCS_LEN}). */
    public static final int BYTES = 4;

    private static final ValueLayout.OfInt LITTLE_ENDIAN =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final CRC32 crc = new CRC32();

    /** For one thread. */
    public FrameCheck() {}

    /**
     * Appends the sequence, for which there is tailroom, and says so: {@link SkBuff#noFcs}.
     *
     * @param frame in the linear part, from the link header on
     */
    public void append(SkBuff frame) {
        int sum = compute(frame, frame.headLen());
        frame.memory().set(LITTLE_ENDIAN, frame.put(BYTES), sum);
        frame.noFcs(true);
    }

    /**
     * {@return true if the last four bytes are the check sequence of those before}
     *
     * @param frame in the linear part, from the link header on
     */
    public boolean fits(SkBuff frame) {
        int covered = frame.headLen() - BYTES;
        return covered >= 0
                && frame.memory().get(LITTLE_ENDIAN, frame.data() + (long) covered) == compute(frame, covered);
    }

    /**
     * Takes the sequence off, whether it fits or not.
     *
     * @param frame in the linear part, from the link header on
     */
    public static void strip(SkBuff frame) {
        frame.trim(frame.headLen() - BYTES);
        frame.noFcs(false);
    }

    private int compute(SkBuff frame, int length) {
        ByteBuffer bytes = frame.bytes().clear();
        bytes.limit(frame.data() + length).position(frame.data());
        crc.reset();
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
