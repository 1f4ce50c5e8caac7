// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.base.Psn;
import io.rdma4j.transport.common.QpCore;
import io.rdma4j.transport.common.WireOperation;
import io.rdma4j.transport.memory.SgeCursor;
import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.verbs.spi.ring.SendHeader;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.wire.AtomicAckEth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Operation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Copies the responses to READs and atomics to the memory that the oldest request names (IBA 9.7.5.1.9). Corresponds to
 * {@code do_read} and {@code do_atomic}.
 */
final class ResponseScatter {
    private final QpCore qp;
    private final SendWindow window;
    private final OutstandingReads reads;
    private final SgeCursor cursor;

    /** The request that a response has been matched with; shared with the completer. */
    private final SendHeader request;

    ResponseScatter(QpCore qp, SendWindow window, OutstandingReads reads, SendHeader oldest) {
        this.qp = qp;
        this.window = window;
        this.reads = reads;
        this.request = oldest;
        this.cursor = new SgeCursor(qp.keys(), qp.protectionDomain(), AccessFlag.LOCAL_WRITE.bit());
    }

    /** True if the oldest request expects this response. */
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

    /** Bytes of a READ that so many packets must contain. */
    private long bytesDue(PacketContext packet) {
        return Math.min(
                window.oldestLength() - window.oldestBytesDone(),
                (long) packet.packets * qp.connection().pathMtuBytes());
    }

    /** Copies the payload of a matching response; false if the memory is not accessible. */
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

    /** The value is a number, not bytes: it is stored in native byte order. */
    private boolean takeOriginal(PacketContext packet) {
        MemorySegment original = qp.scratch();
        original.set(ValueLayout.JAVA_LONG, 0, AtomicAckEth.original(packet.memory(), packet.at(Header.ATOMICACKETH)));
        return cursor.scatter(original, 0, Long.BYTES, /* inLoop= */ true);
    }

    private static boolean isOriginal(PacketContext packet) {
        return packet.opcode.operation() == Operation.ATOMIC_ACKNOWLEDGE;
    }
}
