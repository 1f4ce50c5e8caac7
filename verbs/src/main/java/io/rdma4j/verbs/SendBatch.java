package io.rdma4j.verbs;

import io.rdma4j.base.RdmaException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The allocation-free door to a send queue, in the manner of {@code ibv_wr_start} … {@code ibv_wr_complete}.
 *
 * {@snippet :
 * qp.startSend()
 *         .wrId(7).signaled().send().sge(mr.lkey(), mr.address(), 4096)
 *         .wrId(8).rdmaWriteImm(rkey, remoteAddress, 42)
 *         .complete();
 * }
 *
 * <p>Attributes ({@link #wrId}, {@link #signaled}, …) apply to the next operation only; data ({@link #sge},
 * {@link #inline}) and addresses ({@link #destination}, {@link #xrcSrq}) to the operation before them. A mistake is
 * remembered and reported by {@link #complete()}, which then posts none of the batch. Between {@code startSend()} and
 * {@code complete()} or {@code abort()} the batch belongs to the calling thread and other posters of the same queue spin:
 * do nothing else in between.
 *
 * <p>Objects (address handles, windows, regions) are named to the device as they are; that they are open and of the
 * queue pair's protection domain is checked by the device only, which answers with an error completion.
 */
public interface SendBatch {
    /**
     * The number that the completion of the next operation will carry. Answers to {@code wr_id}.
     *
     * @param wrId 64 bits that mean nothing to the device
     * @return this batch
     */
    SendBatch wrId(long wrId);

    /**
     * The next operation gives a completion even if the queue pair signals on request only. Answers to
     * {@code IBV_SEND_SIGNALED}.
     *
     * @return this batch
     */
    SendBatch signaled();

    /**
     * The next operation raises the receiver's event even if it waits for solicited completions only. Answers to
     * {@code IBV_SEND_SOLICITED}.
     *
     * @return this batch
     */
    SendBatch solicited();

    /**
     * The next operation carries IP over InfiniBand (RFC 4391) whose checksums the device inserts: those of an IPv4 header
     * without options and of the TCP or UDP segment behind it ({@code IB_SEND_IP_CSUM}). What is no such datagram is sent as
     * it is. SENDs on UD queue pairs of devices with {@link DeviceCapability#UD_IP_CSUM}; not large ones, whose headers are
     * repeated as they are. The application's memory stays unchanged.
     *
     * @return this batch
     */
    SendBatch ipChecksum();

    /**
     * The next operation waits for earlier RDMA READs and atomics. Answers to {@code IBV_SEND_FENCE}.
     *
     * @return this batch
     */
    SendBatch fenced();

    /**
     * Adds a SEND ({@code ibv_wr_send}); without data it is an empty message.
     *
     * @return this batch
     */
    SendBatch send();

    /**
     * Adds a SEND with immediate data ({@code ibv_wr_send_imm}).
     *
     * @param immediate 32 bits that arrive with the message, big-endian on the wire: C programs see {@code htonl(immediate)}
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
     * @param rkey {@code rkey} that the peer gave out: 32 bits
     * @param remoteAddress in the address space of the peer's region or window
     * @return this batch
     */
    SendBatch rdmaWrite(int rkey, long remoteAddress);

    /**
     * The same with immediate data ({@code ibv_wr_rdma_write_imm}): consumes a receive of the peer.
     *
     * @param rkey {@code rkey} that the peer gave out: 32 bits
     * @param remoteAddress in the address space of the peer's region or window
     * @param immediate 32 bits; they arrive as the value that they have here
     * @return this batch
     */
    SendBatch rdmaWriteImm(int rkey, long remoteAddress, int immediate);

    /**
     * Adds an RDMA READ ({@code ibv_wr_rdma_read}) into the pieces that follow; RC and XRC.
     *
     * @param rkey {@code rkey} that the peer gave out: 32 bits
     * @param remoteAddress in the address space of the peer's region or window
     * @return this batch
     */
    SendBatch rdmaRead(int rkey, long remoteAddress);

    /**
     * The same, and when the data have arrived a local key is invalidated ({@code IB_WR_RDMA_READ_WITH_INV}, in iWARP's
     * meaning).
     *
     * @param rkey {@code rkey} that the peer gave out: 32 bits
     * @param remoteAddress in the address space of the peer's region or window
     * @param localKey of a fast-registered region
     * @return this batch
     */
    SendBatch rdmaReadInvalidate(int rkey, long remoteAddress, int localKey);

    /**
     * Adds a 64-bit compare-and-swap ({@code ibv_wr_atomic_cmp_swp}); RC and XRC. What was there before arrives in the 8
     * bytes of the pieces that follow, in native byte order.
     *
     * @param rkey {@code rkey} that the peer gave out: 32 bits
     * @param remoteAddress a multiple of 8
     * @param compare what must be there for the swap to happen
     * @param swap what is stored then
     * @return this batch
     */
    SendBatch atomicCompareSwap(int rkey, long remoteAddress, long compare, long swap);

    /**
     * Adds a 64-bit fetch-and-add ({@code ibv_wr_atomic_fetch_add}); the rules are those of {@link #atomicCompareSwap}.
     *
     * @param rkey {@code rkey} that the peer gave out: 32 bits
     * @param remoteAddress in the address space of the peer's region or window; a multiple of 8
     * @param add 64 bits; the sum wraps
     * @return this batch
     */
    SendBatch atomicFetchAdd(int rkey, long remoteAddress, long add);

    /**
     * Adds a compare-and-swap of some bits ({@code IB_WR_MASKED_ATOMIC_CMP_AND_SWP}): if the bits of {@code compareMask} are
     * those of {@code compare}, the bits of {@code swapMask} become those of {@code swap}. Needs
     * {@link QpCreateFlag#MASKED_ATOMICS}; the other rules are those of {@link #atomicCompareSwap}.
     *
     * @param rkey {@code rkey} that the peer gave out: 32 bits
     * @param remoteAddress in the address space of the peer's region or window; a multiple of 8
     * @param compare what must be there for the swap to happen
     * @param compareMask the bits that are compared
     * @param swap what is stored then
     * @param swapMask the bits that are replaced
     * @return this batch
     */
    SendBatch maskedAtomicCompareSwap(
            int rkey, long remoteAddress, long compare, long compareMask, long swap, long swapMask);

    /**
     * Adds a fetch-and-add to several fields at once ({@code IB_WR_MASKED_ATOMIC_FETCH_AND_ADD}). Each set bit of {@code
     * boundaries} is the highest bit of a field; what a field's sum has more bits than the field is lost, and does not carry
     * into the next. With 0 all 64 bits are one field. (This is what adapters make of {@code compare_add_mask}, rather than
     * a mask of the bits that the addition may change.) Needs {@link QpCreateFlag#MASKED_ATOMICS}; the other rules are those
     * of {@link #atomicCompareSwap}.
     *
     * @param rkey {@code rkey} that the peer gave out: 32 bits
     * @param remoteAddress in the address space of the peer's region or window; a multiple of 8
     * @param add 64 bits; the sum wraps
     * @param boundaries the highest bit of each field; 0 for one field of 64 bits
     * @return this batch
     */
    SendBatch maskedAtomicFetchAdd(int rkey, long remoteAddress, long add, long boundaries);

    /**
     * Adds a FLUSH ({@code ibv_wr_flush}): completes when what was written to the peer's memory before has got as far as
     * asked; RC.
     *
     * @param rkey {@code rkey} that the peer gave out: 32 bits
     * @param remoteAddress in the address space of the peer's region or window
     * @param lengthBytes below 2^32; with the level MR it means nothing
     * @param types bits of {@link FlushType}, at least one
     * @param level the bytes named, or all of their region
     * @return this batch
     */
    SendBatch flush(int rkey, long remoteAddress, long lengthBytes, int types, FlushLevel level);

    /**
     * Adds an ATOMIC WRITE ({@code ibv_wr_atomic_write}): the peer sees all 8 bytes change at once; RC.
     *
     * @param rkey {@code rkey} that the peer gave out: 32 bits
     * @param remoteAddress a multiple of 8
     * @param value the 8 bytes in native order; they arrive in the order that they have in memory here
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
     * Adds the binding of a window ({@code ibv_wr_bind_mw}); RC and UC. {@link MemoryWindow#bind} binds windows of type 1.
     *
     * @param window of type 2, of the queue pair's protection domain
     * @param rkey the key it shall have: as before but for the low 8 bits, see {@link MemoryKeys#next}
     * @param region the memory below; may be null if {@code length} is 0
     * @param address start of the window in the region's address space
     * @param length bytes, 0 to unbind
     * @param access bits of {@link AccessFlag}: remote rights and ZERO_BASED
     * @return this batch
     */
    SendBatch bindWindow(
            MemoryWindow window, int rkey, @Nullable MemoryRegion region, long address, long length, int access);

    /**
     * Adds the registration of what was mapped to a region ({@code IB_WR_REG_MR}).
     *
     * @param region with memory mapped to it
     * @param key the key it shall have: as before but for the low 8 bits, see {@link MemoryKeys#next}
     * @param access bits of {@link AccessFlag}
     * @return this batch
     */
    SendBatch registerMemory(FastMemoryRegion region, int key, int access);

    /**
     * Adds a large send ({@code ibv_wr_send_tso}, {@code IB_WR_LSO}): the device cuts the pieces that follow into segments and
     * sends each as a message of its own behind the header; UD, which needs {@link QpCreateFlag#IPOIB_UD_LSO}, and raw
     * packets. The header is repeated as it is: adapters that know TCP count its sequence and the IP identification up and
     * correct lengths in each segment, here that is left to the receiver.
     *
     * <p>A header and segment longer than the path MTU, or data longer than {@link DeviceLimit#MAX_TSO}, complete with
     * LOC_LEN_ERR. Only the last segment is {@link #solicited}.
     *
     * @param header copied; each segment begins with it. Takes the place of some scatter/gather elements.
     * @param segmentBytes most bytes behind the header in one segment ({@code mss}), at least 1
     * @return this batch
     */
    SendBatch sendSegmented(MemorySegment header, int segmentBytes);

    /**
     * Where the datagram goes ({@code ibv_wr_set_ud_addr}); UD and GSI need it.
     *
     * @param path of the queue pair's protection domain; may be closed once the request has completed
     * @param remoteQpn 24 bits; 0xFFFFFF for a multicast group
     * @param remoteQkey 32 bits; if bit 31 is set, the queue pair's own Q_Key is used instead
     * @return this batch
     */
    SendBatch destination(AddressHandle path, int remoteQpn, int remoteQkey);

    /**
     * The P_Key of the datagram by its slot in the port's table; GSI only. Without it slot 0 is used. Answers to
     * {@code pkey_index} of {@code struct ib_ud_wr}.
     *
     * @param index from 0
     * @return this batch
     */
    SendBatch pkeyIndex(int index);

    /**
     * The shared receive queue that the message is for ({@code ibv_wr_set_xrc_srqn}); on XRC_INI queue pairs everything
     * that goes to the peer needs it, since its protection domain counts there.
     *
     * @param number of the queue at the peer: 24 bits
     * @return this batch
     */
    SendBatch xrcSrq(int number);

    /**
     * Adds a piece of registered memory to the operation ({@code ibv_wr_set_sge}).
     *
     * @param lkey {@code lkey} of the region: 32 bits
     * @param address in the region's address space, which is its {@code iova}
     * @param length bytes, unsigned; 0 adds an empty piece (not 2^31 as some adapters have it)
     * @return this batch
     */
    SendBatch sge(int lkey, long address, int length);

    /**
     * Copies data into the work queue ({@code ibv_wr_set_inline_data}); no registration is needed and the memory is free
     * again on return. Not to be mixed with {@link #sge} in one operation; not for operations that bring data here.
     *
     * @param data any memory, no more than the queue pair's {@code max_inline_data} in all
     * @return this batch
     */
    SendBatch inline(MemorySegment data);

    /**
     * Makes the whole batch visible to the device and rings its doorbell once. Answers to {@code ibv_wr_complete}.
     *
     * @throws RdmaException EINVAL for a mistake in the batch, an operation that the queue pair's transport has not, or a
     *     wrong queue pair state; EOPNOTSUPP for an operation that the device has not; ENOMEM when the queue has no room for
     *     the whole batch; nothing was posted then
     */
    void complete();

    /** Forgets the batch. Answers to {@code ibv_wr_abort}. */
    void abort();
}
