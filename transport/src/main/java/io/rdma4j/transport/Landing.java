package io.rdma4j.transport;

import io.rdma4j.base.Psn;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.queue.SendHeader;
import io.rdma4j.wire.AtomicAckEth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Operation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Where the answers to READs and atomics come down: the memory that the oldest request names (IBA 9.7.5.1.9); answers to
 * {@code do_read} and {@code do_atomic}.
 */
final class Landing {
    private final QpEngine qp;
    private final SendWindow window;
    private final OutstandingReads reads;
    private final SgeCursor cursor;

    /** The request that an answer has been matched with. */
    private final SendHeader request = new SendHeader();

    Landing(QpEngine qp, SendWindow window, OutstandingReads reads) {
        this.qp = qp;
        this.window = window;
        this.reads = reads;
        this.cursor = new SgeCursor(qp.keys(), qp.protectionDomain(), AccessFlag.LOCAL_WRITE.bit());
    }

    /** True if the oldest request waits for just such an answer. */
    boolean matches(PacketContext packet) {
        if (!reads.awaits(packet.psn) || Psn.isAfter(packet.lastPsn(), reads.lastAwaitedPsn())) {
            return false;
        }
        request.read(window.memory(), window.oldestWqe());
        WireOperation operation = WireOperation.of(request.opcode());
        if (operation == null || operation.isAtomic() != isOriginal(packet)) {
            return false;
        }
        return operation.isAtomic() || packet.payloadBytes == (operation.reads() ? bytesDue(packet) : 0);
    }

    /** Bytes of a READ that so many packets must bring. */
    private long bytesDue(PacketContext packet) {
        return Math.min(
                window.oldestLength() - window.oldestBytesDone(),
                (long) packet.packets * qp.connection().pathMtuBytes());
    }

    /** Takes what the answer brings, which matches; false if it cannot come down. */
    boolean take(PacketContext packet) {
        if (!isOriginal(packet) && packet.payloadBytes == 0) {
            return true;
        }
        int pieces = Math.clamp(request.numSge(), 0, qp.sendQueue().maxSge());
        cursor.begin(window.memory(), request.data(), pieces);
        return isOriginal(packet) ? takeOriginal(packet) : takeRead(packet);
    }

    private boolean takeRead(PacketContext packet) {
        cursor.skip(window.oldestBytesDone());
        return cursor.scatter(packet.skb, packet.payloadOffset, packet.payloadBytes);
    }

    /** The value is a number, not bytes: it goes to memory in the machine's order. */
    private boolean takeOriginal(PacketContext packet) {
        MemorySegment original = qp.scratch();
        original.set(ValueLayout.JAVA_LONG, 0, AtomicAckEth.original(packet.memory(), packet.at(Header.ATOMICACKETH)));
        return cursor.scatter(original, 0, Long.BYTES);
    }

    private static boolean isOriginal(PacketContext packet) {
        return packet.opcode.operation() == Operation.ATOMIC_ACKNOWLEDGE;
    }
}
