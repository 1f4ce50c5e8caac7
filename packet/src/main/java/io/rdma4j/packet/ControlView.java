// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A typed view of the control buffer, like the kernel's {@code TCP_SKB_CB} and {@code bt_cb}.
 *
 * <p>A subclass defines the fields of one layer. One view object is used for many buffers in turn, so that no
 * allocation per packet is needed. {@link #skb()} returns the current buffer ({@code PKT_TO_SKB}). For one thread at a
 * time. Fields are aligned to their size, in native byte order.
 */
public abstract class ControlView {
    private final int bytes;
    private @Nullable SkBuff skb;
    private MemorySegment memory = MemorySegment.NULL;

    /**
     * Creates a view of no buffer.
     *
     * @param bytes size of the structure
     * @throws IllegalArgumentException if the structure is empty or larger than the control buffer
     */
    protected ControlView(int bytes) {
        if (bytes < 1 || bytes > SkBuff.CB_BYTES) {
            throw new IllegalArgumentException(
                    "a structure of " + bytes + " bytes over a control buffer of " + SkBuff.CB_BYTES);
        }
        this.bytes = bytes;
    }

    /**
     * Moves the view to the control buffer of {@code buffer}. The bytes are not changed.
     *
     * @param buffer a buffer that the layer holds
     */
    public final void over(SkBuff buffer) {
        skb = buffer;
        memory = buffer.cb();
    }

    /**
     * {@return the current buffer ({@code PKT_TO_SKB})}
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
     * {@return a field of 32 bits}
     *
     * @param offset of the field in the structure, bytes
     * @throws IndexOutOfBoundsException if the field is outside the structure
     */
    protected final int int32(int offset) {
        return memory.get(ValueLayout.JAVA_INT, Objects.checkFromIndexSize(offset, Integer.BYTES, bytes));
    }

    /**
     * Writes a field of 32 bits.
     *
     * @param offset of the field in the structure, bytes
     * @param value 32 bits
     * @throws IndexOutOfBoundsException if the field is outside the structure
     */
    protected final void int32(int offset, int value) {
        memory.set(ValueLayout.JAVA_INT, Objects.checkFromIndexSize(offset, Integer.BYTES, bytes), value);
    }

    /**
     * {@return a field of 64 bits}
     *
     * @param offset of the field in the structure, bytes
     * @throws IndexOutOfBoundsException if the field is outside the structure
     */
    protected final long int64(int offset) {
        return memory.get(ValueLayout.JAVA_LONG, Objects.checkFromIndexSize(offset, Long.BYTES, bytes));
    }

    /**
     * Writes a field of 64 bits.
     *
     * @param offset of the field in the structure, bytes
     * @param value 64 bits
     * @throws IndexOutOfBoundsException if the field is outside the structure
     */
    protected final void int64(int offset, long value) {
        memory.set(ValueLayout.JAVA_LONG, Objects.checkFromIndexSize(offset, Long.BYTES, bytes), value);
    }
}
