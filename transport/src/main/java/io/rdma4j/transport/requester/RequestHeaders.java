// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.common.QpCore;
import io.rdma4j.verbs.spi.ring.SendHeader;
import io.rdma4j.verbs.spi.ring.SendOperands;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.AtomicEth;
import io.rdma4j.wire.AtomicMaskEth;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Deth;
import io.rdma4j.wire.Feth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Ieth;
import io.rdma4j.wire.ImmDt;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Operation;
import io.rdma4j.wire.Reth;
import io.rdma4j.wire.XrcEth;
import java.lang.foreign.MemorySegment;

/**
 * Writes the headers of request packets: the BTH, and the extended headers of the opcode, from the operands of the work
 * request.
 */
final class RequestHeaders {
    private static final int QPN_MASK = 0xFF_FFFF;

    private final QpCore qp;
    private final SendWindow window;

    RequestHeaders(QpCore qp, SendWindow window) {
        this.qp = qp;
        this.window = window;
    }

    /**
     * @param sent bytes of the message that were sent, or requested, before this packet
     * @param bytes of this packet's payload, or that it requests
     */
    void write(
            SkBuff skb,
            Opcode opcode,
            SendHeader request,
            int psn,
            long sent,
            long bytes,
            boolean solicited,
            boolean ask) {
        int at = skb.put(opcode.headerBytes());
        MemorySegment memory = skb.memory();
        int pad = opcode.hasPayload() ? (int) -bytes & 3 : 0;
        boolean datagram = opcode.carries(Header.DETH);
        int destination = datagram
                ? SendOperands.remoteQpn(window.memory(), request.wqe()) & QPN_MASK
                : qp.connection().destinationQpn();
        Bth.write(memory, at, opcode, solicited, qp.requestsMigration(), pad, pkey(request), destination, ask, psn);
        if (opcode.headerBytes() == Bth.BYTES) {
            return;
        }
        if (datagram) {
            Deth.write(memory, at + (long) opcode.offsetOf(Header.DETH), queueKey(request), qp.qpn());
        }
        if (opcode.carries(Header.XRCETH)) {
            XrcEth.write(
                    memory,
                    at + (long) opcode.offsetOf(Header.XRCETH),
                    SendOperands.xrcSrq(window.memory(), request.wqe()));
        }
        if (opcode.carries(Header.RETH)) {
            writeReth(memory, at + (long) opcode.offsetOf(Header.RETH), opcode, request, sent, bytes);
        }
        if (opcode.carries(Header.ATOMICETH)) {
            writeAtomicEth(memory, at + (long) opcode.offsetOf(Header.ATOMICETH), opcode, request);
        }
        if (opcode.carries(Header.ATOMICMASKETH)) {
            long masks = at + (long) opcode.offsetOf(Header.ATOMICMASKETH);
            AtomicMaskEth.write(
                    memory,
                    masks,
                    SendOperands.swapMask(window.memory(), request.wqe()),
                    SendOperands.compareAddMask(window.memory(), request.wqe()));
        }
        if (opcode.carries(Header.FETH)) {
            long feth = at + (long) opcode.offsetOf(Header.FETH);
            Feth.write(
                    memory,
                    feth,
                    SendOperands.flushTypes(window.memory(), request.wqe()),
                    SendOperands.flushLevel(window.memory(), request.wqe()));
        }
        if (opcode.carries(Header.IMMDT)) {
            ImmDt.write(memory, at + (long) opcode.offsetOf(Header.IMMDT), request.immediate());
        }
        if (opcode.carries(Header.IETH)) {
            Ieth.write(memory, at + (long) opcode.offsetOf(Header.IETH), request.immediate());
        }
    }

    /** IBA 10.2.5: a Q_Key with the highest bit set stands for the sender's own Q_Key. */
    private int queueKey(SendHeader request) {
        int asked = SendOperands.remoteQkey(window.memory(), request.wqe());
        return asked < 0 ? qp.connection().qkey() : asked;
    }

    /** A GSI queue pair belongs to all partitions of its port: each datagram names its partition (IBA 10.9.7). */
    private int pkey(SendHeader request) {
        return qp.type() == QpType.GSI
                ? qp.port().pkey(SendOperands.pkeyIndex(window.memory(), request.wqe()))
                : qp.connection().pkey();
    }

    /**
     * Writes the RETH: a WRITE announces the length of the whole message, a READ the length that this packet requests,
     * which is a part when it is retried.
     */
    private void writeReth(MemorySegment memory, long at, Opcode opcode, SendHeader request, long sent, long bytes) {
        boolean read = opcode.operation() == Operation.READ_REQUEST;
        long address = SendOperands.remoteAddress(window.memory(), request.wqe()) + (read ? sent : 0);
        long length = read ? bytes : request.length();
        Reth.write(memory, at, address, SendOperands.remoteKey(window.memory(), request.wqe()), length);
    }

    private void writeAtomicEth(MemorySegment memory, long at, Opcode opcode, SendHeader request) {
        long compareAdd = SendOperands.compareAdd(window.memory(), request.wqe());
        boolean adds = opcode.operation() == Operation.FETCH_ADD || opcode.operation() == Operation.MASKED_FETCH_ADD;
        AtomicEth.write(
                memory,
                at,
                SendOperands.remoteAddress(window.memory(), request.wqe()),
                SendOperands.remoteKey(window.memory(), request.wqe()),
                adds ? compareAdd : SendOperands.swap(window.memory(), request.wqe()),
                adds ? 0 : compareAdd);
    }
}
