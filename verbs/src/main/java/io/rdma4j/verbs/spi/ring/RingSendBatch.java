// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.FlushLevel;
import io.rdma4j.verbs.wr.FlushType;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The posting end of a {@link SendQueue}: writes elements into free slots and publishes them together.
 *
 * <p>One object per queue pair, reused by every batch. {@link #start()} takes the queue's spin lock,
 * {@link #complete()} and {@link #abort()} release it.
 */
public final class RingSendBatch extends PostingEnd implements SendBatch {
    private static final long MAX_FLUSH_BYTES = (1L << 32) - 1;

    /** Flags that every operation takes. */
    private static final int USUAL_FLAGS = SendFlag.FENCE.bit() | SendFlag.SIGNALED.bit();

    private static final int ALL_FLUSH_TYPES = FlushType.GLOBAL.bit() | FlushType.PERSISTENT.bit();
    private static final Set<WrOpcode> ALL_OPERATIONS = Collections.unmodifiableSet(EnumSet.allOf(WrOpcode.class));

    private Ring ring;
    private RingMemory memory;
    private final QueueOwner owner;
    private final QpType type;
    private final Set<WrOpcode> wanted;

    /** Operations that the device supports for the queue pair: a bit for each {@link WrOpcode}. */
    private final int supported;

    /** Those of them that the type and the creation attributes of the queue pair allow as well. */
    private final int postable;

    private final boolean checksums;
    private final SendElement element;

    /** Index after the posted requests, index after the written ones, and the consumer index that was read last. */
    private int posted;

    private int producer;
    private int consumer;
    private long nextWrId;
    private int nextFlags;

    /**
     * Creates the posting end of a send queue; a queue has one.
     *
     * @param queue the queue to post to
     * @param owner the queue pair, for its state and its doorbell
     * @param type transport of the queue pair
     * @param operations operations that the device supports for this queue pair; others fail with EOPNOTSUPP
     * @param wanted operations requested at creation: others fail with EINVAL; empty: all that type and device support
     * @param checksums true if the device inserts IP checksums into SENDs of this queue pair
     * @throws RdmaException EOPNOTSUPP if type or device do not support a wanted operation
     */
    public RingSendBatch(
            SendQueue queue,
            QueueOwner owner,
            QpType type,
            Set<WrOpcode> operations,
            Set<WrOpcode> wanted,
            boolean checksums) {
        this.ring = queue.postingRing();
        this.memory = ring.memory();
        this.owner = owner;
        this.type = type;
        this.element = new SendElement(queue, type, this);
        this.checksums = checksums;
        this.supported = SendRule.bits(operations);
        this.wanted = wanted.isEmpty() ? ALL_OPERATIONS : EnumSet.copyOf(wanted);
        check(type, operations, wanted);
        int allowed = 0;
        for (WrOpcode opcode : this.wanted) {
            SendRule rule = SendRule.of(opcode);
            if (rule.types().contains(type)) {
                allowed |= rule.bit();
            }
        }
        this.postable = allowed & supported;
    }

    /**
     * Continues in another ring of its queue, or in another queue.
     *
     * @param mover resizes the queue, or makes the device's end do so, and returns the new queue; other posting threads
     *     spin meanwhile
     */
    public void follow(Supplier<SendQueue> mover) {
        lock();
        try {
            SendQueue next = mover.get();
            ring = next.postingRing();
            memory = ring.memory();
            element.memory(memory);
            posted = ring.ownProducer();
            consumer = ring.acquireConsumer();
        } finally {
            unlock();
        }
    }

    /**
     * Checks the requested operations of a queue pair.
     *
     * @param type its transport
     * @param operations operations that the device supports for it
     * @param wanted operations requested at creation; empty: all that type and device support
     * @throws RdmaException EOPNOTSUPP if type or device do not support a wanted operation
     */
    public static void check(QpType type, Set<WrOpcode> operations, Set<WrOpcode> wanted) {
        for (WrOpcode opcode : wanted) {
            if (!SendRule.of(opcode).types().contains(type) || !operations.contains(opcode)) {
                throw new RdmaException(Errno.EOPNOTSUPP, "this device has no " + opcode + " on " + type);
            }
        }
    }

    /**
     * Begins a batch: the calling thread owns the queue until the batch ends.
     *
     * @return this batch
     */
    public SendBatch start() {
        lock();
        producer = posted;
        nextWrId = 0;
        nextFlags = 0;
        return this;
    }

    @Override
    public SendBatch wrId(long wrId) {
        nextWrId = wrId;
        return this;
    }

    @Override
    public SendBatch signaled() {
        nextFlags |= SendFlag.SIGNALED.bit();
        return this;
    }

    @Override
    public SendBatch solicited() {
        nextFlags |= SendFlag.SOLICITED.bit();
        return this;
    }

    @Override
    public SendBatch ipChecksum() {
        nextFlags |= SendFlag.IP_CSUM.bit();
        return this;
    }

    @Override
    public SendBatch fenced() {
        nextFlags |= SendFlag.FENCE.bit();
        return this;
    }

    @Override
    public SendBatch send() {
        begin(SendRule.SEND, 0);
        return this;
    }

    @Override
    public SendBatch sendImm(int immediate) {
        begin(SendRule.SEND_WITH_IMM, immediate);
        return this;
    }

    @Override
    public SendBatch sendInvalidate(int rkey) {
        begin(SendRule.SEND_WITH_INV, rkey);
        return this;
    }

    @Override
    public SendBatch rdmaWrite(int rkey, long remoteAddress) {
        beginRemote(SendRule.RDMA_WRITE, 0, rkey, remoteAddress);
        return this;
    }

    @Override
    public SendBatch rdmaWriteImm(int rkey, long remoteAddress, int immediate) {
        beginRemote(SendRule.RDMA_WRITE_WITH_IMM, immediate, rkey, remoteAddress);
        return this;
    }

    @Override
    public SendBatch rdmaRead(int rkey, long remoteAddress) {
        beginRemote(SendRule.RDMA_READ, 0, rkey, remoteAddress);
        return this;
    }

    @Override
    public SendBatch rdmaReadInvalidate(int rkey, long remoteAddress, int localKey) {
        beginRemote(SendRule.RDMA_READ_WITH_INV, localKey, rkey, remoteAddress);
        return this;
    }

    @Override
    public SendBatch atomicCompareSwap(int rkey, long remoteAddress, long compare, long swap) {
        if (beginAligned(SendRule.COMPARE_SWAP, rkey, remoteAddress)) {
            SendOperands.writeAtomic(memory, element.offset(), compare, swap, -1, -1);
        }
        return this;
    }

    @Override
    public SendBatch atomicFetchAdd(int rkey, long remoteAddress, long add) {
        if (beginAligned(SendRule.FETCH_ADD, rkey, remoteAddress)) {
            SendOperands.writeAtomic(memory, element.offset(), add, 0, -1, -1);
        }
        return this;
    }

    @Override
    public SendBatch maskedAtomicCompareSwap(
            int rkey, long remoteAddress, long compare, long compareMask, long swap, long swapMask) {
        if (beginAligned(SendRule.MASKED_COMPARE_SWAP, rkey, remoteAddress)) {
            SendOperands.writeAtomic(memory, element.offset(), compare, swap, compareMask, swapMask);
        }
        return this;
    }

    @Override
    public SendBatch maskedAtomicFetchAdd(int rkey, long remoteAddress, long add, long boundaries) {
        if (beginAligned(SendRule.MASKED_FETCH_ADD, rkey, remoteAddress)) {
            SendOperands.writeAtomic(memory, element.offset(), add, 0, boundaries, 0);
        }
        return this;
    }

    @Override
    public SendBatch flush(int rkey, long remoteAddress, long lengthBytes, int types, FlushLevel level) {
        if (beginRemote(SendRule.FLUSH, 0, rkey, remoteAddress)) {
            if (types == 0 || (types & ~ALL_FLUSH_TYPES) != 0) {
                fail(Errno.EINVAL, "flush types " + types + ": GLOBAL (1), PERSISTENT (2) or both are needed");
            }
            if (lengthBytes < 0 || lengthBytes > MAX_FLUSH_BYTES) {
                fail(Errno.EINVAL, "a flush of " + lengthBytes + " bytes: the limit is 2^32 - 1");
            }
            SendOperands.writeFlush(memory, element.offset(), types, level.code());
            element.flushLength(level == FlushLevel.MR ? 0 : lengthBytes);
        }
        return this;
    }

    @Override
    public SendBatch atomicWrite(int rkey, long remoteAddress, long value) {
        if (beginAligned(SendRule.ATOMIC_WRITE, rkey, remoteAddress)) {
            element.atomicValue(value);
        }
        return this;
    }

    @Override
    public SendBatch localInvalidate(int key) {
        begin(SendRule.LOCAL_INV, key);
        return this;
    }

    @Override
    public SendBatch bindWindow(
            Window window, int rkey, @Nullable Region region, long address, long bytes, int access) {
        if (begin(SendRule.BIND_MW, 0)) {
            if (bytes != 0 && region == null) {
                fail(Errno.EINVAL, "a window of " + bytes + " bytes needs a memory region");
            }
            int regionKey = region == null ? 0 : region.lkey();
            SendOperands.writeRange(memory, element.offset(), window.handle(), rkey, regionKey, address, bytes, access);
        }
        return this;
    }

    @Override
    public SendBatch registerMemory(FastRegion region, int key, int access) {
        if (begin(SendRule.REG_MR, 0)) {
            SendOperands.writeRange(
                    memory, element.offset(), region.handle(), key, 0, region.iova(), region.lengthBytes(), access);
        }
        return this;
    }

    @Override
    public SendBatch sendSegmented(MemorySegment header, int segmentBytes) {
        if (begin(SendRule.TSO, 0)) {
            element.tsoHeader(header);
            if (segmentBytes < 1) {
                fail(Errno.EINVAL, "segments of " + segmentBytes + " bytes: at least 1 is needed");
            }
            SendOperands.writeSegmentBytes(memory, element.offset(), segmentBytes);
        }
        return this;
    }

    @Override
    public SendBatch destination(Path path, int remoteQpn, int remoteQkey) {
        element.destination(path, remoteQpn, remoteQkey);
        return this;
    }

    @Override
    public SendBatch pkeyIndex(int index) {
        element.pkeyIndex(index);
        return this;
    }

    @Override
    public SendBatch xrcSrq(int number) {
        element.xrcSrq(number);
        return this;
    }

    @Override
    public SendBatch sge(int lkey, long address, int lengthBytes) {
        element.sge(lkey, address, lengthBytes);
        return this;
    }

    @Override
    public SendBatch inline(MemorySegment data) {
        element.inline(data);
        return this;
    }

    @Override
    public void complete() {
        finishRequest();
        QpState state = owner.state();
        if (!state.acceptsSends()) {
            fail(Errno.EINVAL, "a send cannot be posted in state " + state + ": bring the queue pair to RTS first");
        }
        RdmaException mistake = takeError();
        if (mistake != null) {
            unlock();
            throw mistake;
        }
        // Published before the doorbell is tested: the device clears the doorbell first and then reads the ring.
        ring.publishProducerFully(producer);
        posted = producer;
        boolean delivered = owner.deliver();
        unlock();
        if (!delivered) {
            owner.sendDoorbell();
        }
    }

    @Override
    public void abort() {
        clearError();
        element.clear();
        unlock();
    }

    /** False if the operation is rejected. */
    private boolean begin(SendRule rule, int immediate) {
        finishRequest();
        boolean isUsual = isPostable(rule) && (nextFlags & ~USUAL_FLAGS) == 0 && !isFull();
        if (!isUsual && isRefused(rule)) {
            return false;
        }
        element.begin(ring.offset(producer), nextWrId, rule, nextFlags, immediate);
        nextWrId = 0;
        nextFlags = 0;
        return true;
    }

    private boolean isPostable(SendRule rule) {
        return (postable & rule.bit()) != 0;
    }

    private boolean isRefused(SendRule rule) {
        WrOpcode opcode = rule.opcode();
        if (!isPostable(rule)) {
            refuse(rule);
        } else if ((nextFlags & SendFlag.IP_CSUM.bit()) != 0 && !(checksums && rule.takesChecksums())) {
            fail(Errno.EOPNOTSUPP, "no checksums are inserted into " + opcode + " on this " + type + " queue pair");
        } else if ((nextFlags & ~(rule.flags() | SendFlag.IP_CSUM.bit())) != 0) {
            fail(Errno.EINVAL, opcode + " takes no flag SOLICITED: the peer gets no completion of it");
        } else if (isFull()) {
            fail(Errno.ENOMEM, "the send queue is full: it holds " + ring.capacity() + " work requests");
        } else {
            return false;
        }
        return true;
    }

    /** Sets the error for an operation that the type, the device or the creation attributes do not allow. */
    private void refuse(SendRule rule) {
        WrOpcode opcode = rule.opcode();
        if (!rule.types().contains(type)) {
            fail(Errno.EINVAL, opcode + " cannot be posted to " + type + ", only to " + rule.types());
        } else if ((supported & rule.bit()) == 0) {
            fail(
                    Errno.EOPNOTSUPP,
                    "this " + type + " queue pair has no " + opcode
                            + ": the device cannot do it, or it takes a create flag");
        } else {
            fail(Errno.EINVAL, opcode + " was not among the operations that the queue pair was made for: " + wanted);
        }
    }

    private boolean isFull() {
        int next = ring.next(producer);
        if (next == consumer) {
            consumer = ring.acquireConsumer();
        }
        return next == consumer;
    }

    private boolean beginRemote(SendRule rule, int immediate, int rkey, long remoteAddress) {
        boolean begun = begin(rule, immediate);
        if (begun) {
            SendOperands.writeRemote(memory, element.offset(), remoteAddress, rkey);
        }
        return begun;
    }

    private boolean beginAligned(SendRule rule, int rkey, long remoteAddress) {
        if (remoteAddress % SendElement.ATOMIC_BYTES != 0) {
            fail(
                    Errno.EINVAL,
                    rule.opcode() + " at 0x" + Long.toHexString(remoteAddress)
                            + ": the address must be a multiple of 8");
        }
        return beginRemote(rule, 0, rkey, remoteAddress);
    }

    private void finishRequest() {
        if (element.isBegun()) {
            element.finish();
            producer = ring.next(producer);
        }
    }
}
