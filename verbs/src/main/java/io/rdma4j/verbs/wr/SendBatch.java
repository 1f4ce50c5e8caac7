// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.wr;

import io.rdma4j.base.RdmaException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Posts requests to a send queue without allocation, in the style of {@code ibv_wr_start} … {@code ibv_wr_complete}.
 *
 * {@snippet :
 * qp.startSend()
 *         .wrId(7).signaled().send().sge(mr.lkey(), mr.address(), 4096)
 *         .wrId(8).rdmaWriteImm(rkey, remoteAddress, 42)
 *         .complete();
 * }
 *
 * <p>Attributes ({@link #wrId}, {@link #signaled}, …) apply to the next operation only. Data ({@link #sge},
 * {@link #inline}) and addresses ({@link #destination}, {@link #xrcSrq}) apply to the operation before them.
 *
 * <p>The batch stores the first error; {@link #complete()} reports it and posts nothing of the batch.
 *
 * <p>Between {@code startSend()} and {@code complete()} or {@code abort()} the calling thread owns the batch, and other
 * threads that post to the same queue spin. The caller should do nothing else in between.
 *
 * <p>The batch does not check that address handles, windows and regions are open and of the queue pair's protection
 * domain. The device checks this and reports an error completion.
 */
public interface SendBatch {
    /** An {@link io.rdma4j.verbs.AddressHandle}, as a batch reads it. */
    interface Path {
        /** {@return the number of the handle in work requests: 32 bits} */
        int handle();
    }

    /** A {@link io.rdma4j.verbs.MemoryWindow}, as a batch reads it. */
    interface Window {
        /** {@return the number of the window in work requests: 32 bits} */
        int handle();
    }

    /** A {@link io.rdma4j.verbs.MemoryRegion}, as a batch reads it. */
    interface Region {
        /** {@return the key for scatter/gather elements: 32 bits} */
        int lkey();
    }

    /** A {@link io.rdma4j.verbs.FastMemoryRegion}, as a batch reads it. */
    interface FastRegion {
        /** {@return the number of the region in work requests: 32 bits} */
        int handle();

        /** {@return the address of the first byte in work requests} */
        long iova();

        /** {@return the length of the mapped memory in bytes} */
        long lengthBytes();
    }

    /**
     * Sets the number in the completion of the next operation. Corresponds to {@code wr_id}.
     *
     * @param wrId 64 bits that the device does not interpret
     * @return this batch
     */
    SendBatch wrId(long wrId);

    /**
     * Requests a completion for the next operation even with {@link SignalType#REQ_WR}. Corresponds to
     * {@code IBV_SEND_SIGNALED}.
     *
     * @return this batch
     */
    SendBatch signaled();

    /**
     * Marks the next operation as solicited: it raises the receiver's completion event even if the receiver requested
     * events for solicited completions only. Corresponds to {@code IBV_SEND_SOLICITED}.
     *
     * @return this batch
     */
    SendBatch solicited();

    /**
     * Requests checksum insertion for the next operation, which carries IP over InfiniBand (RFC 4391). The device
     * inserts the checksum of an IPv4 header without options and that of the TCP or UDP segment behind it. Corresponds
     * to {@code IB_SEND_IP_CSUM}.
     *
     * <p>For SENDs on UD queue pairs of devices with {@link io.rdma4j.verbs.device.DeviceCapability#UD_IP_CSUM}, but
     * not for large sends, whose headers are repeated unchanged. Other datagrams are sent unchanged. The application's
     * memory stays unchanged.
     *
     * @return this batch
     */
    SendBatch ipChecksum();

    /**
     * Delays the next operation until earlier RDMA READs and atomics have completed. Corresponds to
     * {@code IBV_SEND_FENCE}.
     *
     * @return this batch
     */
    SendBatch fenced();

    /**
     * Adds a SEND ({@code ibv_wr_send}); without data the message is empty.
     *
     * @return this batch
     */
    SendBatch send();

    /**
     * Adds a SEND with immediate data ({@code ibv_wr_send_imm}).
     *
     * @param immediate 32 bits that arrive with the message, big-endian on the wire: C programs see
     *     {@code htonl(immediate)}
     * @return this batch
     */
    SendBatch sendImm(int immediate);

    /**
     * Adds a SEND that invalidates a key of the receiver ({@code ibv_wr_send_inv}); RC and XRC.
     *
     * @param rkey of a type 2 window or a fast-registered region of the receiver
     * @return this batch
     */
    SendBatch sendInvalidate(int rkey);

    /**
     * Adds an RDMA WRITE ({@code ibv_wr_rdma_write}) of the data that follow; RC, UC and XRC.
     *
     * @param rkey R_Key of the peer: 32 bits
     * @param remoteAddress in the address space of the peer's region or window
     * @return this batch
     */
    SendBatch rdmaWrite(int rkey, long remoteAddress);

    /**
     * Adds an RDMA WRITE with immediate data ({@code ibv_wr_rdma_write_imm}), which consumes a receive of the peer; RC,
     * UC and XRC.
     *
     * @param rkey R_Key of the peer: 32 bits
     * @param remoteAddress in the address space of the peer's region or window
     * @param immediate 32 bits; the peer's completion has the same value
     * @return this batch
     */
    SendBatch rdmaWriteImm(int rkey, long remoteAddress, int immediate);

    /**
     * Adds an RDMA READ ({@code ibv_wr_rdma_read}) into the scatter/gather elements that follow; RC and XRC.
     *
     * @param rkey R_Key of the peer: 32 bits
     * @param remoteAddress in the address space of the peer's region or window
     * @return this batch
     */
    SendBatch rdmaRead(int rkey, long remoteAddress);

    /**
     * Adds an RDMA READ that invalidates a local key when the data have arrived ({@code IB_WR_RDMA_READ_WITH_INV}, with
     * the meaning of iWARP); RC and XRC.
     *
     * @param rkey R_Key of the peer: 32 bits
     * @param remoteAddress in the address space of the peer's region or window
     * @param localKey of a fast-registered region
     * @return this batch
     */
    SendBatch rdmaReadInvalidate(int rkey, long remoteAddress, int localKey);

    /**
     * Adds a 64-bit compare-and-swap ({@code ibv_wr_atomic_cmp_swp}); RC and XRC. The device writes the previous value
     * to the 8 bytes of the scatter/gather elements that follow, in native byte order.
     *
     * @param rkey R_Key of the peer: 32 bits
     * @param remoteAddress in the address space of the peer's region or window; a multiple of 8
     * @param compare value that must equal the present one
     * @param swap value to store if they are equal
     * @return this batch
     */
    SendBatch atomicCompareSwap(int rkey, long remoteAddress, long compare, long swap);

    /**
     * Adds a 64-bit fetch-and-add ({@code ibv_wr_atomic_fetch_add}), with the rules of {@link #atomicCompareSwap}.
     *
     * @param rkey R_Key of the peer: 32 bits
     * @param remoteAddress in the address space of the peer's region or window; a multiple of 8
     * @param add 64 bits; the sum wraps
     * @return this batch
     */
    SendBatch atomicFetchAdd(int rkey, long remoteAddress, long add);

    /**
     * Adds a masked compare-and-swap ({@code IB_WR_MASKED_ATOMIC_CMP_AND_SWP}). If the present value equals {@code
     * compare} in the bits of {@code compareMask}, the bits of {@code swapMask} are replaced by those of {@code swap}.
     * Needs {@link io.rdma4j.verbs.values.QpCreateFlag#MASKED_ATOMICS}; otherwise the rules of {@link
     * #atomicCompareSwap} apply.
     *
     * @param rkey R_Key of the peer: 32 bits
     * @param remoteAddress in the address space of the peer's region or window; a multiple of 8
     * @param compare value that must equal the present one in the bits of {@code compareMask}
     * @param compareMask bits to compare
     * @param swap value to store if they are equal
     * @param swapMask bits to replace
     * @return this batch
     */
    SendBatch maskedAtomicCompareSwap(
            int rkey, long remoteAddress, long compare, long compareMask, long swap, long swapMask);

    /**
     * Adds a fetch-and-add to several fields at once ({@code IB_WR_MASKED_ATOMIC_FETCH_AND_ADD}). Each set bit of
     * {@code boundaries} is the highest bit of a field. A carry out of a field is lost. With 0 all 64 bits are one
     * field. Adapters interpret {@code compare_add_mask} in this way, not as a mask of the bits to change. Needs {@link
     * io.rdma4j.verbs.values.QpCreateFlag#MASKED_ATOMICS}; otherwise the rules of {@link #atomicCompareSwap} apply.
     *
     * @param rkey R_Key of the peer: 32 bits
     * @param remoteAddress in the address space of the peer's region or window; a multiple of 8
     * @param add 64 bits; the sum of each field wraps
     * @param boundaries the highest bit of each field; 0 for one field of 64 bits
     * @return this batch
     */
    SendBatch maskedAtomicFetchAdd(int rkey, long remoteAddress, long add, long boundaries);

    /**
     * Adds a FLUSH ({@code ibv_wr_flush}); RC. It completes when the data of earlier writes to the peer's memory have
     * reached the requested placement.
     *
     * @param rkey R_Key of the peer: 32 bits
     * @param remoteAddress in the address space of the peer's region or window
     * @param lengthBytes below 2^32; ignored with the level MR
     * @param types bits of {@link FlushType}, at least one
     * @param level the given range, or the whole region
     * @return this batch
     */
    SendBatch flush(int rkey, long remoteAddress, long lengthBytes, int types, FlushLevel level);

    /**
     * Adds an ATOMIC WRITE ({@code ibv_wr_atomic_write}): the peer sees all 8 bytes change at once; RC.
     *
     * @param rkey R_Key of the peer: 32 bits
     * @param remoteAddress in the address space of the peer's region or window; a multiple of 8
     * @param value the 8 bytes in native order; the peer's memory gets the bytes in the order of this machine's memory
     * @return this batch
     */
    SendBatch atomicWrite(int rkey, long remoteAddress, long value);

    /**
     * Adds the invalidation of a local key ({@code ibv_wr_local_inv}).
     *
     * @param key of a type 2 window or a fast-registered region
     * @return this batch
     */
    SendBatch localInvalidate(int key);

    /**
     * Adds the binding of a window ({@code ibv_wr_bind_mw}); RC and UC. {@link io.rdma4j.verbs.MemoryWindow#bind} binds
     * windows of type 1.
     *
     * @param window of type 2, of the queue pair's protection domain
     * @param rkey the new key: only the low 8 bits may differ from the present one, see {@link
     *     io.rdma4j.verbs.values.MemoryKeys#next}
     * @param region the underlying memory region; may be null if {@code length} is 0
     * @param address start of the window in the region's address space
     * @param length bytes, 0 to unbind
     * @param access bits of {@link io.rdma4j.verbs.values.AccessFlag}: remote rights and ZERO_BASED
     * @return this batch
     */
    SendBatch bindWindow(Window window, int rkey, @Nullable Region region, long address, long length, int access);

    /**
     * Adds the registration of the memory that was mapped to a region ({@code IB_WR_REG_MR}).
     *
     * @param region with memory mapped to it
     * @param key the new key: only the low 8 bits may differ from the present one, see {@link
     *     io.rdma4j.verbs.values.MemoryKeys#next}
     * @param access bits of {@link io.rdma4j.verbs.values.AccessFlag}
     * @return this batch
     */
    SendBatch registerMemory(FastRegion region, int key, int access);

    /**
     * Adds a large send ({@code ibv_wr_send_tso}, {@code IB_WR_LSO}); UD, which needs {@link
     * io.rdma4j.verbs.values.QpCreateFlag#IPOIB_UD_LSO}, and raw packets. The device cuts the data that follow into
     * segments and sends each as a message of its own behind the header. It repeats the header unchanged. Adapters that
     * support TCP update sequence number, IP identification and lengths in each segment; here the receiver must do
     * this.
     *
     * <p>A header and segment longer than the path MTU, or data longer than {@link
     * io.rdma4j.verbs.device.DeviceLimit#MAX_TSO}, complete with LOC_LEN_ERR. Only the last segment is {@link
     * #solicited}.
     *
     * @param header first bytes of each segment; copied. Uses the space of some scatter/gather elements.
     * @param segmentBytes maximum bytes behind the header in one segment ({@code mss}), at least 1
     * @return this batch
     */
    SendBatch sendSegmented(MemorySegment header, int segmentBytes);

    /**
     * Sets the destination of a datagram ({@code ibv_wr_set_ud_addr}); required for UD and GSI.
     *
     * @param path of the queue pair's protection domain; may be closed once the request has completed
     * @param remoteQpn 24 bits; 0xFFFFFF for a multicast group
     * @param remoteQkey 32 bits; if bit 31 is set, the queue pair's own Q_Key is used instead
     * @return this batch
     */
    SendBatch destination(Path path, int remoteQpn, int remoteQkey);

    /**
     * Sets the P_Key of a datagram as an index of the port's P_Key table; GSI only. The default is 0. Corresponds to
     * {@code pkey_index} of {@code struct ib_ud_wr}.
     *
     * @param index from 0
     * @return this batch
     */
    SendBatch pkeyIndex(int index);

    /**
     * Sets the shared receive queue of the peer ({@code ibv_wr_set_xrc_srqn}). Required for every operation of an
     * XRC_INI queue pair that the peer executes, because the peer checks the protection domain of that queue.
     *
     * @param number of the queue at the peer: 24 bits
     * @return this batch
     */
    SendBatch xrcSrq(int number);

    /**
     * Adds a scatter/gather element to the operation ({@code ibv_wr_set_sge}).
     *
     * @param lkey {@code lkey} of the region: 32 bits
     * @param address in the region's address space, which begins at its {@code iova}
     * @param length bytes, unsigned; 0 adds an empty element (not 2^31 bytes as on some adapters)
     * @return this batch
     */
    SendBatch sge(int lkey, long address, int length);

    /**
     * Copies data into the work queue ({@code ibv_wr_set_inline_data}). The data need no registration, and the
     * application may reuse the memory on return. Not together with {@link #sge} in one operation; not for operations
     * that return data.
     *
     * @param data any memory; at most the queue pair's {@code max_inline_data} bytes in total
     * @return this batch
     */
    SendBatch inline(MemorySegment data);

    /**
     * Makes the whole batch visible to the device and rings its doorbell once. Corresponds to {@code ibv_wr_complete}.
     *
     * @throws RdmaException EINVAL for an error in the batch, an operation that the queue pair's type does not have, or
     *     a wrong queue pair state; EOPNOTSUPP for an operation that the device does not support; ENOMEM if the queue
     *     has no space for the whole batch; nothing was posted then
     */
    void complete();

    /** Discards the batch. Corresponds to {@code ibv_wr_abort}. */
    void abort();
}
