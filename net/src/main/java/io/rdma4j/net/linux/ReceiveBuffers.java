package io.rdma4j.net.linux;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The buffers for the messages of a batch, with data from {@link TapDevice#HEADROOM}. A buffer stays empty ({@code len}
 * 0): the caller sets the length of the received message. For one thread at a time; allocates nothing after the
 * constructor.
 */
final class ReceiveBuffers {
    private final MessageBatch batch;
    private final SkBuffPool pool;
    private final int bytes;
    private final @Nullable SkBuff[] buffers;

    /**
     * @param pool the caller keeps it
     * @param bytes maximum length of a message
     */
    ReceiveBuffers(MessageBatch batch, SkBuffPool pool, int bytes) {
        this.batch = batch;
        this.pool = pool;
        this.bytes = bytes;
        this.buffers = new SkBuff[batch.count()];
    }

    /** Prepares a message, with a new buffer if the last one was taken; returns false if there is no buffer. */
    boolean prepare(int index) {
        SkBuff skb = buffers[index];
        if (skb == null) {
            skb = pool.allocate();
            if (skb == null) {
                return false;
            }
            skb.reserve(TapDevice.HEADROOM);
            buffers[index] = skb;
        }
        batch.prepare(index, skb.memory(), skb.data(), bytes);
        return true;
    }

    /** Returns the buffer of a prepared message. */
    SkBuff get(int index) {
        return Objects.requireNonNull(buffers[index]);
    }

    /** Removes the buffer of a prepared message; the caller owns it. */
    SkBuff take(int index) {
        SkBuff skb = get(index);
        buffers[index] = null;
        return skb;
    }

    /** Returns all buffers to the pool. */
    void free() {
        for (int i = 0; i < buffers.length; i++) {
            if (buffers[i] != null) {
                take(i).free();
            }
        }
    }
}
