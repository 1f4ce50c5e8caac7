package io.rdma4j.net.linux;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The buffers that the messages of a batch are received to, behind {@link TapDevice#HEADROOM}. They are empty, whatever lies in them: who has received
 * a message says how long it is. For one thread at a time; allocates nothing after the constructor.
 */
final class ReceiveBuffers {
    private final MessageBatch batch;
    private final SkBuffPool pool;
    private final int bytes;
    private final @Nullable SkBuff[] buffers;

    /**
     * @param pool stays the caller's
     * @param bytes that a message may have
     */
    ReceiveBuffers(MessageBatch batch, SkBuffPool pool, int bytes) {
        this.batch = batch;
        this.pool = pool;
        this.bytes = bytes;
        this.buffers = new SkBuff[batch.count()];
    }

    /** Lets a message be received, with a new buffer if that of the last one was taken; false if there is no buffer. */
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

    /** The buffer of a message that was prepared. */
    SkBuff get(int index) {
        return Objects.requireNonNull(buffers[index]);
    }

    /** The same, and it becomes the caller's. */
    SkBuff take(int index) {
        SkBuff skb = get(index);
        buffers[index] = null;
        return skb;
    }

    /** Gives all buffers back to the pool. */
    void free() {
        for (int i = 0; i < buffers.length; i++) {
            if (buffers[i] != null) {
                take(i).free();
            }
        }
    }
}
