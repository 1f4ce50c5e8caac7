package io.rdma4j.verbs.queue;

import io.rdma4j.base.Errno;
import io.rdma4j.base.SpinLock;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.FastMemoryRegion;
import io.rdma4j.verbs.FlushLevel;
import io.rdma4j.verbs.FlushType;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.SendBatch;
import io.rdma4j.verbs.SendFlag;
import io.rdma4j.verbs.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The client's end of a {@link SendQueue}: writes elements into free slots and publishes them together.
 *
 * <p>One object a queue pair, reused by every batch; {@link #start()} takes the queue's spin lock, {@link #complete()} and
 * {@link #abort()} release it.
 */
public final class RingSendBatch implements SendBatch {
    private static final long MAX_MESSAGE_BYTES = 1L << 31;
    private static final long MAX_FLUSH_BYTES = (1L << 32) - 1;
    private static final int ATOMIC_BYTES = 8;
    private static final int MAX_24_BITS = (1 << 24) - 1;
    private static final int ALL_FLUSH_TYPES = FlushType.GLOBAL.bit() | FlushType.PERSISTENT.bit();
    private static final Set<QpType> DATAGRAM = EnumSet.of(QpType.UD, QpType.SMI, QpType.GSI);
    private static final long NO_REQUEST = -1;

    private final SendQueue queue;
    private final Ring ring;
    private final MemorySegment memory;
    private final QueueOwner owner;
    private final QpType type;
    private final Set<WrOpcode> operations;
    private final SpinLock lock = new SpinLock();
    private final PostError error = new PostError();

    private int producer;
    private int free;
    private long wqe = NO_REQUEST;

    private long nextWrId;
    private int nextFlags;

    private SendRule rule = SendRule.SEND;
    private int flags;
    private int maxSge;
    private int numSge;
    private long length;
    private boolean addressed;

    /**
     * @param owner the queue pair whose state and doorbell count
     * @param type its transport, which says what may be posted
     * @param operations what the device carries out; others answer EOPNOTSUPP
     */
    public RingSendBatch(SendQueue queue, QueueOwner owner, QpType type, Set<WrOpcode> operations) {
        this.queue = queue;
        this.ring = queue.ring();
        this.memory = ring.memory();
        this.owner = owner;
        this.type = type;
        this.operations = operations.isEmpty() ? EnumSet.noneOf(WrOpcode.class) : EnumSet.copyOf(operations);
    }

    /** Begins a batch: the queue belongs to the calling thread until it ends. */
    public SendBatch start() {
        lock.lock();
        error.clear();
        producer = ring.ownProducer();
        free = ring.capacity() - ring.distance(producer, ring.acquireConsumer());
        wqe = NO_REQUEST;
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
    public SendBatch fenced() {
        nextFlags |= SendFlag.FENCE.bit();
        return this;
    }

    @Override
    public SendBatch send() {
        begin(WrOpcode.SEND, 0);
        return this;
    }

    @Override
    public SendBatch sendImm(int immediate) {
        begin(WrOpcode.SEND_WITH_IMM, immediate);
        return this;
    }

    @Override
    public SendBatch sendInvalidate(int rkey) {
        begin(WrOpcode.SEND_WITH_INV, rkey);
        return this;
    }

    @Override
    public SendBatch rdmaWrite(int rkey, long remoteAddress) {
        beginRemote(WrOpcode.RDMA_WRITE, 0, rkey, remoteAddress);
        return this;
    }

    @Override
    public SendBatch rdmaWriteImm(int rkey, long remoteAddress, int immediate) {
        beginRemote(WrOpcode.RDMA_WRITE_WITH_IMM, immediate, rkey, remoteAddress);
        return this;
    }

    @Override
    public SendBatch rdmaRead(int rkey, long remoteAddress) {
        beginRemote(WrOpcode.RDMA_READ, 0, rkey, remoteAddress);
        return this;
    }

    @Override
    public SendBatch rdmaReadInvalidate(int rkey, long remoteAddress, int localKey) {
        beginRemote(WrOpcode.RDMA_READ_WITH_INV, localKey, rkey, remoteAddress);
        return this;
    }

    @Override
    public SendBatch atomicCompareSwap(int rkey, long remoteAddress, long compare, long swap) {
        if (beginAligned(WrOpcode.ATOMIC_CMP_AND_SWP, rkey, remoteAddress)) {
            SendOperands.writeAtomic(memory, wqe, compare, swap, -1, -1);
        }
        return this;
    }

    @Override
    public SendBatch atomicFetchAdd(int rkey, long remoteAddress, long add) {
        if (beginAligned(WrOpcode.ATOMIC_FETCH_AND_ADD, rkey, remoteAddress)) {
            SendOperands.writeAtomic(memory, wqe, add, 0, -1, -1);
        }
        return this;
    }

    @Override
    public SendBatch maskedAtomicCompareSwap(
            int rkey, long remoteAddress, long compare, long compareMask, long swap, long swapMask) {
        if (beginAligned(WrOpcode.MASKED_ATOMIC_CMP_AND_SWP, rkey, remoteAddress)) {
            SendOperands.writeAtomic(memory, wqe, compare, swap, compareMask, swapMask);
        }
        return this;
    }

    @Override
    public SendBatch maskedAtomicFetchAdd(int rkey, long remoteAddress, long add, long mask) {
        if (beginAligned(WrOpcode.MASKED_ATOMIC_FETCH_AND_ADD, rkey, remoteAddress)) {
            SendOperands.writeAtomic(memory, wqe, add, 0, mask, -1);
        }
        return this;
    }

    @Override
    public SendBatch flush(int rkey, long remoteAddress, long lengthBytes, int types, FlushLevel level) {
        if (beginRemote(WrOpcode.FLUSH, 0, rkey, remoteAddress)) {
            if (types == 0 || (types & ~ALL_FLUSH_TYPES) != 0) {
                error.set(Errno.EINVAL, "flush types " + types + ": GLOBAL (1), PERSISTENT (2) or both are needed");
            }
            if (lengthBytes < 0 || lengthBytes > MAX_FLUSH_BYTES) {
                error.set(Errno.EINVAL, "a flush of " + lengthBytes + " bytes: the limit is 2^32 - 1");
            }
            SendOperands.writeFlush(memory, wqe, types, level.code());
            length = level == FlushLevel.MR ? 0 : lengthBytes;
        }
        return this;
    }

    @Override
    public SendBatch atomicWrite(int rkey, long remoteAddress, long value) {
        if (beginAligned(WrOpcode.ATOMIC_WRITE, rkey, remoteAddress)) {
            memory.set(SgeLayout.LONG, SendQueue.data(wqe, 0), value);
            flags |= SendFlag.INLINE.bit();
            length = ATOMIC_BYTES;
        }
        return this;
    }

    @Override
    public SendBatch localInvalidate(int key) {
        begin(WrOpcode.LOCAL_INV, key);
        return this;
    }

    @Override
    public SendBatch bindWindow(
            MemoryWindow window, int rkey, @Nullable MemoryRegion region, long address, long bytes, int access) {
        if (begin(WrOpcode.BIND_MW, 0)) {
            if (bytes != 0 && region == null) {
                error.set(Errno.EINVAL, "a window of " + bytes + " bytes needs a memory region");
            }
            int regionKey = region == null ? 0 : region.lkey();
            SendOperands.writeRange(memory, wqe, window.handle(), rkey, regionKey, address, bytes, access);
        }
        return this;
    }

    @Override
    public SendBatch registerMemory(FastMemoryRegion region, int key, int access) {
        if (begin(WrOpcode.REG_MR, 0)) {
            SendOperands.writeRange(memory, wqe, region.handle(), key, 0, region.iova(), region.lengthBytes(), access);
        }
        return this;
    }

    @Override
    public SendBatch sendSegmented(MemorySegment header, int segmentBytes) {
        if (begin(WrOpcode.TSO, 0)) {
            int room = maxSge - SendQueue.elementsOf((int) Math.min(header.byteSize(), Short.MAX_VALUE));
            if (room < 0) {
                error.set(
                        Errno.EINVAL,
                        "a header of " + header.byteSize() + " bytes: this queue takes " + maxSge * SgeLayout.BYTES);
            } else {
                SendQueue.writeTsoHeader(memory, wqe, header);
                maxSge = room;
            }
            if (segmentBytes < 1) {
                error.set(Errno.EINVAL, "segments of " + segmentBytes + " bytes: at least 1 is needed");
            }
            SendOperands.writeSegmentBytes(memory, wqe, segmentBytes);
        }
        return this;
    }

    @Override
    public SendBatch destination(AddressHandle path, int remoteQpn, int remoteQkey) {
        if (!DATAGRAM.contains(type)) {
            error.set(Errno.EINVAL, "destinations are for datagrams, this queue pair is " + type);
        } else if (wqe == NO_REQUEST) {
            noOperation();
        } else {
            check24Bits("remote_qpn", remoteQpn);
            SendOperands.writeDestination(memory, wqe, path.handle(), remoteQpn, remoteQkey);
            addressed = true;
        }
        return this;
    }

    @Override
    public SendBatch pkeyIndex(int index) {
        if (type != QpType.GSI) {
            error.set(Errno.EINVAL, "P_Key indexes in requests are for GSI queue pairs, this one is " + type);
        } else if (wqe == NO_REQUEST) {
            noOperation();
        } else {
            SendOperands.writePkeyIndex(memory, wqe, index);
        }
        return this;
    }

    @Override
    public SendBatch xrcSrq(int number) {
        if (type != QpType.XRC_INI) {
            error.set(Errno.EINVAL, "XRC SRQ numbers are for XRC_INI queue pairs, this one is " + type);
        } else if (wqe == NO_REQUEST) {
            noOperation();
        } else {
            check24Bits("remote_srqn", number);
            SendOperands.writeXrcSrq(memory, wqe, number);
            addressed = true;
        }
        return this;
    }

    @Override
    public SendBatch sge(int lkey, long address, int lengthBytes) {
        if (wqe == NO_REQUEST) {
            noOperation();
        } else if (rule.data() == SendRule.Data.NONE) {
            error.set(Errno.EINVAL, rule.opcode() + " takes no scatter/gather elements");
        } else if ((flags & SendFlag.INLINE.bit()) != 0) {
            error.set(Errno.EINVAL, "a request has inline data or scatter/gather elements, not both");
        } else if (numSge == maxSge) {
            error.set(Errno.EINVAL, "more than max_send_sge = " + maxSge + " scatter/gather elements");
        } else {
            SgeLayout.write(memory, sgeOffset(), address, lengthBytes, lkey);
            numSge++;
            addLength(Integer.toUnsignedLong(lengthBytes));
        }
        return this;
    }

    @Override
    public SendBatch inline(MemorySegment data) {
        if (wqe == NO_REQUEST) {
            noOperation();
        } else if (rule.data() != SendRule.Data.ANY) {
            error.set(Errno.EINVAL, rule.opcode() + " takes no inline data");
        } else if (numSge != 0) {
            error.set(Errno.EINVAL, "a request has inline data or scatter/gather elements, not both");
        } else if (data.byteSize() > queue.maxInlineData() - length) {
            error.set(
                    Errno.EINVAL,
                    "inline data of " + (length + data.byteSize()) + " bytes: max_inline_data is "
                            + queue.maxInlineData());
        } else {
            MemorySegment.copy(data, 0, memory, SendQueue.data(wqe, 0) + length, data.byteSize());
            flags |= SendFlag.INLINE.bit();
            addLength(data.byteSize());
        }
        return this;
    }

    @Override
    public void complete() {
        finishRequest();
        QpState state = owner.state();
        if (!state.acceptsSends()) {
            error.set(
                    Errno.EINVAL, "a send cannot be posted in state " + state + ": bring the queue pair to RTS first");
        }
        if (error.isSet()) {
            lock.unlock();
            error.raise();
        }
        ring.publishProducer(producer);
        lock.unlock();
        owner.sendDoorbell();
    }

    @Override
    public void abort() {
        lock.unlock();
    }

    /** False if the operation is refused. */
    private boolean begin(WrOpcode opcode, int immediate) {
        finishRequest();
        if (isRefused(opcode)) {
            return false;
        }
        free--;
        wqe = ring.offset(producer);
        flags = nextFlags;
        maxSge = queue.maxSge();
        numSge = 0;
        length = 0;
        addressed = false;
        SendQueue.writeHeader(memory, wqe, nextWrId, opcode.code(), flags, immediate);
        SendOperands.writeXrcSrq(memory, wqe, 0);
        nextWrId = 0;
        nextFlags = 0;
        return true;
    }

    private boolean isRefused(WrOpcode opcode) {
        rule = SendRule.of(opcode);
        int forbidden = nextFlags & ~rule.flags();
        if (!rule.types().contains(type)) {
            error.set(Errno.EINVAL, opcode + " cannot be posted to " + type + ", only to " + rule.types());
        } else if (!operations.contains(opcode)) {
            error.set(Errno.EOPNOTSUPP, "this device has no " + opcode + " on " + type);
        } else if (forbidden != 0) {
            error.set(Errno.EINVAL, opcode + " takes no flag SOLICITED: the peer gets no completion of it");
        } else if (free == 0) {
            error.set(Errno.ENOMEM, "the send queue is full: it holds " + ring.capacity() + " work requests");
        } else {
            return false;
        }
        return true;
    }

    private boolean beginRemote(WrOpcode opcode, int immediate, int rkey, long remoteAddress) {
        boolean begun = begin(opcode, immediate);
        if (begun) {
            SendOperands.writeRemote(memory, wqe, remoteAddress, rkey);
        }
        return begun;
    }

    private boolean beginAligned(WrOpcode opcode, int rkey, long remoteAddress) {
        if (remoteAddress % ATOMIC_BYTES != 0) {
            error.set(
                    Errno.EINVAL,
                    opcode + " at 0x" + Long.toHexString(remoteAddress) + ": the address must be a multiple of 8");
        }
        return beginRemote(opcode, 0, rkey, remoteAddress);
    }

    private void finishRequest() {
        if (wqe != NO_REQUEST) {
            checkRequest();
            SendQueue.writeData(memory, wqe, flags, numSge, (int) length);
            producer = ring.next(producer);
            wqe = NO_REQUEST;
        }
    }

    private void checkRequest() {
        if (rule.data() == SendRule.Data.EIGHT_BYTES && length != ATOMIC_BYTES) {
            error.set(Errno.EINVAL, rule.opcode() + " needs pieces of 8 bytes for the old value, not of " + length);
        }
        if (addressed) {
            return;
        }
        if (DATAGRAM.contains(type)) {
            error.set(Errno.EINVAL, rule.opcode() + " on " + type + " needs a destination()");
        } else if (type == QpType.XRC_INI && rule.kind() != SendRule.Kind.LOCAL) {
            error.set(Errno.EINVAL, rule.opcode() + " on XRC_INI needs an xrcSrq()");
        }
    }

    private long sgeOffset() {
        return rule == SendRule.TSO ? SendQueue.tsoData(memory, wqe, numSge) : SendQueue.data(wqe, numSge);
    }

    private void check24Bits(String name, int value) {
        if (value < 0 || value > MAX_24_BITS) {
            error.set(Errno.EINVAL, name + " 0x" + Integer.toHexString(value) + " has more than 24 bits");
        }
    }

    private void addLength(long bytes) {
        length += bytes;
        if (length > MAX_MESSAGE_BYTES) {
            error.set(Errno.EINVAL, "a message of " + length + " bytes: the limit is 2^31");
        }
    }

    private void noOperation() {
        error.set(Errno.EINVAL, "data must follow an operation such as send()");
    }
}
