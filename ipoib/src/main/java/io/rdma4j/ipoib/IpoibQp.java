// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ipoib;

import io.rdma4j.packet.ChecksumState;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.WcStatus;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The UD queue pair of a device with its buffers ({@code ipoib_ib.c}): a packet is copied into a registered buffer to
 * be sent, and received into another one. Allocates nothing for a packet.
 */
final class IpoibQp implements AutoCloseable {
    /** Bytes of a packet with its encapsulation header: the MTU 2048 of InfiniBand. */
    static final int PACKET_BYTES = 2048;

    /** The Q_Key of RFC 4391's examples and of subnet managers, until the broadcast group tells its own. */
    static final int DEFAULT_QKEY = 0x0B1B;

    /** {@code send_queue_size} and {@code recv_queue_size} of the kernel module. */
    private static final int SENDS = 128;

    private static final int RECEIVES = 256;

    /** A received datagram begins with room for the GRH. */
    private static final int ROUTE_BYTES = 40;

    private static final int RECEIVE_BYTES = ROUTE_BYTES + PACKET_BYTES;

    private final ProtectionDomain pd;
    private final CompletionQueue sendCq;
    private final CompletionQueue receiveCq;
    private final MemoryRegion sendMemory;
    private final MemoryRegion receiveMemory;
    private final QueuePair qp;

    /** Packets that were posted and completed; they complete in order, so a buffer is free when its turn is over. */
    private long sent;

    private long completed;
    private int qkey = DEFAULT_QKEY;
    private final Deque<Retired> retired = new ArrayDeque<>();

    /** A path that is closed when the packets before it are complete. */
    private record Retired(AddressHandle path, long sent) {}

    /** @param onReceived called by any thread when a packet has arrived, see {@link #expect} */
    IpoibQp(Context context, int port, int pkeyIndex, Runnable onReceived) {
        pd = context.allocatePd();
        sendCq = context.createCq(SENDS);
        receiveCq = context.createCq(CqInitAttributes.of(RECEIVES).withCompletionHandler(_ -> onReceived.run()));
        sendMemory = pd.allocateMemory((long) SENDS * PACKET_BYTES, Set.of());
        receiveMemory = pd.allocateMemory((long) RECEIVES * RECEIVE_BYTES, Set.of(AccessFlag.LOCAL_WRITE));
        qp = pd.createQp(QpInitAttributes.builder(sendCq, receiveCq)
                .type(QpType.UD)
                .capabilities(QpCapabilities.of(SENDS, RECEIVES))
                .createFlags(QpCreateFlag.BLOCK_MULTICAST_LOOPBACK)
                .build());
        qp.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .port(port)
                .pkeyIndex(pkeyIndex)
                .qkey(DEFAULT_QKEY)
                .build());
        for (int buffer = 0; buffer < RECEIVES; buffer++) {
            postReceive(buffer);
        }
        qp.modify(QpAttributes.builder().state(QpState.RTR).build());
        qp.modify(QpAttributes.builder().state(QpState.RTS).sqPsn(0).build());
    }

    int qpn() {
        return qp.qpn();
    }

    /** Sets the Q_Key of the partition, as the broadcast group gives it. */
    void qkey(int key) {
        if (key != qkey) {
            qkey = key;
            qp.modify(QpAttributes.builder().qkey(key).build());
        }
    }

    AddressHandle createPath(AddressVector vector) {
        return pd.createAddressHandle(vector);
    }

    /** Closes a path when the packets that use it are complete. */
    void retire(@Nullable AddressHandle path) {
        if (path != null) {
            retired.add(new Retired(path, sent));
            closeRetired();
        }
    }

    private void closeRetired() {
        for (Retired first = retired.peek(); first != null && first.sent - completed <= 0; first = retired.peek()) {
            retired.remove();
            first.path.close();
        }
    }

    void attach(HardwareAddress group, int lid) {
        qp.attachMulticast(group.gid(), lid);
    }

    void detach(HardwareAddress group, int lid) {
        qp.detachMulticast(group.gid(), lid);
    }

    // Sending

    /** Returns true if there is a free buffer. */
    boolean mayPost() {
        if (sent - completed == SENDS) {
            reclaim();
        }
        return sent - completed < SENDS;
    }

    /**
     * Posts a copy of a packet. The caller has asked {@link #mayPost}, and keeps the packet.
     *
     * @param from bytes of the packet that are left out in front
     * @return false if the memory of a fragment is gone
     */
    boolean post(SkBuff skb, int from, AddressHandle path, int qpn) {
        long offset = sent % SENDS * PACKET_BYTES;
        int length = skb.len() - from;
        try {
            skb.copyBits(from, sendMemory.segment(), offset, length);
        } catch (IllegalStateException closed) {
            return false;
        }
        SendBatch batch = qp.startSend();
        batch.wrId(sent).signaled();
        if (skb.meta().ipSummed() == ChecksumState.PARTIAL) {
            batch.ipChecksum();
        }
        batch.send().destination(path, qpn, qkey).sge(sendMemory.lkey(), sendMemory.iova() + offset, length);
        batch.complete();
        sent++;
        return true;
    }

    /** Takes the completions of packets; returns the number of packets that failed. */
    int reclaim() {
        int failed = 0;
        try (CompletionCursor cursor = sendCq.startPoll()) {
            while (cursor.next()) {
                completed++;
                if (cursor.status() != WcStatus.SUCCESS) {
                    failed++;
                }
            }
        }
        if (failed > 0 && completed == sent && qp.state() == QpState.SQE) {
            qp.modify(QpAttributes.builder().state(QpState.RTS).build());
        }
        closeRetired();
        return failed;
    }

    // Receiving

    private void postReceive(int buffer) {
        qp.startReceive()
                .receive(buffer)
                .sge(receiveMemory.lkey(), receiveMemory.iova() + (long) buffer * RECEIVE_BYTES, RECEIVE_BYTES)
                .complete();
    }

    /** Begins to take received packets; the caller closes the cursor. */
    CompletionCursor received() {
        return receiveCq.startPoll();
    }

    /** Memory of the packet at which the cursor is; it begins with the GRH. */
    MemorySegment memory() {
        return receiveMemory.segment();
    }

    static long routeOffset(CompletionCursor cursor) {
        return cursor.wrId() * RECEIVE_BYTES;
    }

    static long packetOffset(CompletionCursor cursor) {
        return routeOffset(cursor) + ROUTE_BYTES;
    }

    static int packetBytes(CompletionCursor cursor) {
        return cursor.byteLength() - ROUTE_BYTES;
    }

    /** Gives the buffer of a packet back to the queue pair. */
    void repost(int buffer) {
        if (qp.state() != QpState.ERR) {
            postReceive(buffer);
        }
    }

    /** Asks for a call when the next packet arrives; true if there is one already. */
    boolean expect() {
        return receiveCq.requestNotification(false);
    }

    @Override
    public void close() {
        qp.close();
        completed = sent;
        closeRetired();
        receiveMemory.close();
        sendMemory.close();
        receiveCq.close();
        sendCq.close();
        pd.close();
    }
}
