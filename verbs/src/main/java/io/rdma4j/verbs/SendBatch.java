package io.rdma4j.verbs;

import io.rdma4j.base.RdmaException;
import java.lang.foreign.MemorySegment;

/**
 * The allocation-free door to a send queue, in the manner of {@code ibv_wr_start} … {@code ibv_wr_complete}.
 *
 * <pre>{@code
 * qp.startSend()
 *         .wrId(7).signaled().send().sge(mr.lkey(), mr.address(), 4096)
 *         .wrId(8).sendImm(42)
 *         .complete();
 * }</pre>
 *
 * <p>Attributes ({@link #wrId}, {@link #signaled}, …) apply to the next operation only; data ({@link #sge},
 * {@link #inline}) to the operation before them. A mistake is remembered and reported by {@link #complete()}, which
 * then posts none of the batch. Between {@code startSend()} and {@code complete()} or {@code abort()} the batch belongs
 * to the calling thread and other posters of the same queue spin: do nothing else in between.
 */
public interface SendBatch {
    /** The number that the completion of the next operation will carry. */
    SendBatch wrId(long wrId);

    /** The next operation gives a completion even if the queue pair signals on request only. */
    SendBatch signaled();

    /** The next operation raises the receiver's event even if it waits for solicited completions only. */
    SendBatch solicited();

    /** The next operation waits for earlier RDMA READs and atomics. */
    SendBatch fenced();

    /** Adds a SEND ({@code ibv_wr_send}); without data it is an empty message. */
    SendBatch send();

    /**
     * Adds a SEND with immediate data ({@code ibv_wr_send_imm}).
     *
     * @param immediate 32 bits that arrive with the message, big-endian on the wire: C programs see {@code htonl(immediate)}
     */
    SendBatch sendImm(int immediate);

    /**
     * Adds a piece of registered memory to the operation ({@code ibv_wr_set_sge}).
     *
     * @param length bytes, unsigned; 0 adds an empty piece (not 2^31 as some adapters have it)
     */
    SendBatch sge(int lkey, long address, int length);

    /**
     * Copies data into the work queue ({@code ibv_wr_set_inline_data}); no registration is needed and the memory is free
     * again on return. Not to be mixed with {@link #sge} in one operation.
     */
    SendBatch inline(MemorySegment data);

    /**
     * Makes the whole batch visible to the device and rings its doorbell once.
     *
     * @throws RdmaException EINVAL for a mistake in the batch or a wrong queue pair state, ENOMEM when the queue has no
     *     room for the whole batch; nothing was posted then
     */
    void complete();

    /** Forgets the batch. */
    void abort();
}
