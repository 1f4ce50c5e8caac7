package io.rdma4j.packet;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A structure that one layer lays over the control buffer of the buffers it holds: {@code TCP_SKB_CB}, {@code bt_cb},
 * {@code SKB_TO_PKT} in manner.
 *
 * <p>A subclass names the fields. One object is moved from buffer to buffer, so that nothing is allocated for a packet, and
 * knows the way back. By one thread at a time. Fields lie at multiples of their size, in the machine's byte order.
 */
public abstract class ControlView {
    private final int bytes;
    private @Nullable SkBuff skb;
    private MemorySegment memory = MemorySegment.NULL;

    /**
     * Over no buffer yet.
     *
     * @param bytes size of the structure
     * @throws IllegalArgumentException if the control buffer has no room for it
     */
    protected ControlView(int bytes) {
        if (bytes < 1 || bytes > SkBuff.CB_BYTES) {
            throw new IllegalArgumentException(
                    "a structure of " + bytes + " bytes over a control buffer of " + SkBuff.CB_BYTES);
        }
        this.bytes = bytes;
    }

    /**
     * Lays the structure over the control buffer of {@code buffer}, whose bytes stay as they are.
     *
     * @param buffer whose layer this is
     */
    public final void over(SkBuff buffer) {
        skb = buffer;
        memory = buffer.cb();
    }

    /**
     * {@return the buffer it lies over ({@code PKT_TO_SKB})}
     *
     * @throws IllegalStateException before {@link #over}
     */
    public final SkBuff skb() {
        if (skb == null) {
            throw new IllegalStateException("the view lies over no buffer");
        }
        return skb;
    }

    /**
     * {@return a field of 32 bits; IndexOutOfBoundsException if it is not in the structure}
     *
     * @param offset of the field in the structure, bytes
     */
    protected final int int32(int offset) {
        return memory.get(ValueLayout.JAVA_INT, Objects.checkFromIndexSize(offset, Integer.BYTES, bytes));
    }

    /**
     * Writes a field of 32 bits; IndexOutOfBoundsException if it is not in the structure.
     *
     * @param offset of the field in the structure, bytes
     * @param value 32 bits
     */
    protected final void int32(int offset, int value) {
        memory.set(ValueLayout.JAVA_INT, Objects.checkFromIndexSize(offset, Integer.BYTES, bytes), value);
    }

    /**
     * {@return a field of 64 bits; IndexOutOfBoundsException if it is not in the structure}
     *
     * @param offset of the field in the structure, bytes
     */
    protected final long int64(int offset) {
        return memory.get(ValueLayout.JAVA_LONG, Objects.checkFromIndexSize(offset, Long.BYTES, bytes));
    }

    /**
     * Writes a field of 64 bits; IndexOutOfBoundsException if it is not in the structure.
     *
     * @param offset of the field in the structure, bytes
     * @param value 64 bits
     */
    protected final void int64(int offset, long value) {
        memory.set(ValueLayout.JAVA_LONG, Objects.checkFromIndexSize(offset, Long.BYTES, bytes), value);
    }
}
