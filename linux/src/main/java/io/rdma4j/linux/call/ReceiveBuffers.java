// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux.call;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The buffers for the messages of a batch, with data from {@link #HEADROOM}. A buffer stays empty ({@code len}
 * 0): the caller sets the length of the received message. For one thread at a time; allocates nothing after the
 * constructor.
 */
public final class ReceiveBuffers {
    /**
     * Headroom of received frames, bytes: space for headers, and an IP header aligned to 16 bytes ({@code
     * NET_IP_ALIGN}).
     */
    public static final int HEADROOM = 66;

    private final MessageBatch batch;
    private final SkBuffPool pool;
    private final int bytes;
    private final @Nullable SkBuff[] buffers;

    /**
     * @param pool the caller keeps it
     * @param bytes maximum length of a message
     */
    public ReceiveBuffers(MessageBatch batch, SkBuffPool pool, int bytes) {
        this.batch = batch;
        this.pool = pool;
        this.bytes = bytes;
        this.buffers = new SkBuff[batch.count()];
    }

    /** Prepares a message, with a new buffer if the last one was taken; returns false if there is no buffer. */
    public boolean prepare(int index) {
        SkBuff skb = buffers[index];
        if (skb == null) {
            skb = pool.allocate();
            if (skb == null) {
                return false;
            }
            skb.reserve(HEADROOM);
            buffers[index] = skb;
        }
        batch.prepare(index, skb.memory(), skb.data(), bytes);
        return true;
    }

    /** Returns the buffer of a prepared message. */
    public SkBuff get(int index) {
        return Objects.requireNonNull(buffers[index]);
    }

    /** Removes the buffer of a prepared message; the caller owns it. */
    public SkBuff take(int index) {
        SkBuff skb = get(index);
        buffers[index] = null;
        return skb;
    }

    /** Returns all buffers to the pool. */
    public void free() {
        for (int i = 0; i < buffers.length; i++) {
            if (buffers[i] != null) {
                take(i).free();
            }
        }
    }
}
