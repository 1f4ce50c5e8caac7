// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import io.rdma4j.transport.memory.MemoryKey;
import io.rdma4j.verbs.spi.ring.ReceiveQueue;
import io.rdma4j.verbs.spi.ring.RingMemory;
import io.rdma4j.verbs.spi.ring.SendQueue;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Writes into posted elements what the client's end of a ring would refuse to write, as a broken or hostile application
 * can that maps the ring; offsets as documented at {@link SendQueue} and {@link ReceiveQueue}.
 */
final class RingForgery {
    private static final int SEND_OPCODE = 8;
    private static final int SEND_FLAGS = 12;
    private static final int SEND_SGES = 20;
    private static final int SEND_LENGTH = 24;
    private static final int TSO_HEADER = 28;
    private static final int SEGMENT_BYTES = 48;
    private static final int RECEIVE_SGES = 8;
    private static final int RECEIVE_LENGTH = 12;

    private static final int SEND_IMMEDIATE = 16;
    private static final int RANGE_ADDRESS = 32;
    private static final int RANGE_NEW_KEY = 40;
    private static final int RANGE_HANDLE = 44;
    private static final int RANGE_LENGTH = 48;
    private static final int RANGE_REGION_KEY = 56;
    private static final int RANGE_ACCESS = 60;

    private static final int ADDRESS_HANDLE = 32;
    private static final int REMOTE_QPN = 36;
    private static final int REMOTE_QKEY = 40;
    private static final int PKEY_INDEX = 44;

    private RingForgery() {}

    static void destination(SendQueue queue, int slot, int addressHandle, int remoteQpn, int qkey) {
        long wqe = queue.ring().offset(slot);
        set(queue.memory(), wqe + ADDRESS_HANDLE, addressHandle);
        set(queue.memory(), wqe + REMOTE_QPN, remoteQpn);
        set(queue.memory(), wqe + REMOTE_QKEY, qkey);
        set(queue.memory(), wqe + PKEY_INDEX, 0);
    }

    /**
     * Posts a large send to the peer, as the core would with an address handle: a SEND whose first pieces make room for
     * the header, which it becomes.
     */
    static void largeSend(
            Endpoint endpoint, long wrId, byte[] header, int segmentBytes, int qkey, TestRegion.Piece... pieces) {
        SendQueue queue = endpoint.sendQueue;
        int slot = queue.ring().ownProducer();
        SendBatch batch = endpoint.sends().wrId(wrId).send();
        int taken = SendQueue.elementsOf(header.length);
        for (int i = 0; i < taken; i++) {
            batch.sge(0, 0, 0);
        }
        endpoint.datagram(batch, Endpoint.ADDRESS_HANDLE, EnginePair.QPN_B, qkey, pieces);
        long wqe = queue.ring().offset(slot);
        sendOpcode(queue, slot, WrOpcode.TSO.code());
        sendSges(queue, slot, pieces.length);
        headerBytes(queue, slot, header.length);
        segmentBytes(queue, slot, segmentBytes);
        MemorySegment.copy(
                header, 0, queue.memory().bytes(), ValueLayout.JAVA_BYTE, SendQueue.data(wqe, 0), header.length);
    }

    static void headerBytes(SendQueue queue, int slot, int bytes) {
        set(queue.memory(), queue.ring().offset(slot) + TSO_HEADER, bytes);
    }

    static void segmentBytes(SendQueue queue, int slot, int bytes) {
        set(queue.memory(), queue.ring().offset(slot) + SEGMENT_BYTES, bytes);
    }

    static void pkeyIndex(SendQueue queue, int slot, int index) {
        set(queue.memory(), queue.ring().offset(slot) + PKEY_INDEX, index);
    }

    /**
     * Posts a request about a window or a fast region, as the core would with its objects: BIND_MW or REG_MR, after an
     * invalidation whose place it takes.
     */
    static void range(
            Endpoint endpoint,
            long wrId,
            WrOpcode opcode,
            MemoryKey object,
            int newKey,
            int regionKey,
            long address,
            long length,
            int access) {
        int slot = endpoint.sendQueue.ring().ownProducer();
        endpoint.sends().wrId(wrId).localInvalidate(0).complete();
        RingMemory memory = endpoint.sendQueue.memory();
        long wqe = endpoint.sendQueue.ring().offset(slot);
        sendOpcode(endpoint.sendQueue, slot, opcode.code());
        memory.set(wqe + RANGE_ADDRESS, address);
        set(memory, wqe + RANGE_NEW_KEY, newKey);
        set(memory, wqe + RANGE_HANDLE, object.handle());
        memory.set(wqe + RANGE_LENGTH, length);
        set(memory, wqe + RANGE_REGION_KEY, regionKey);
        set(memory, wqe + RANGE_ACCESS, access);
        set(memory, wqe + SEND_IMMEDIATE, 0);
    }

    static void sendOpcode(SendQueue queue, int slot, int opcode) {
        set(queue.memory(), queue.ring().offset(slot) + SEND_OPCODE, opcode);
    }

    static void sendFlags(SendQueue queue, int slot, int flags) {
        set(queue.memory(), queue.ring().offset(slot) + SEND_FLAGS, flags);
    }

    static void sendSges(SendQueue queue, int slot, int numSge) {
        set(queue.memory(), queue.ring().offset(slot) + SEND_SGES, numSge);
    }

    static void sendLength(SendQueue queue, int slot, int length) {
        set(queue.memory(), queue.ring().offset(slot) + SEND_LENGTH, length);
    }

    static void receiveSges(ReceiveQueue queue, int slot, int numSge) {
        set(queue.memory(), queue.ring().offset(slot) + RECEIVE_SGES, numSge);
    }

    static void receiveLength(ReceiveQueue queue, int slot, int length) {
        set(queue.memory(), queue.ring().offset(slot) + RECEIVE_LENGTH, length);
    }

    /** Sets a field of 32 bits and keeps the other half of its word. */
    private static void set(RingMemory memory, long offset, int value) {
        long at = offset & -Long.BYTES;
        long word = memory.get(at);
        memory.set(
                at,
                at == offset
                        ? RingMemory.pair(value, RingMemory.second(word))
                        : RingMemory.pair(RingMemory.first(word), value));
    }
}
