// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.umad2sim;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.ib.IbFabric;
import io.rdma4j.ib.ManagementListener;
import io.rdma4j.ib.NodeAgents;
import io.rdma4j.loop.Timed;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.RmppType;
import io.rdma4j.wire.mad.sm.Smp;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The clients of a server, and the requests of clients that await a response. Every request ends: by its response, or
 * by status {@link Errno#ETIMEDOUT}. For the owner of the loop.
 */
final class Umad2SimClients {
    /** Time for a response, which an agent gives at once and a program when it runs. */
    private static final long RESPONSE_NS = 1_000_000_000;

    private static final int SERVER_BITS = 48;
    private static final long CLIENT_BITS = (1L << SERVER_BITS) - 1;
    private static final int LENGTH_OF_SA_HEADER = Rmpp.PAYLOAD_OFFSET;

    private final IbFabric fabric;
    private final List<Umad2SimClient> clients = new ArrayList<>();
    private final Map<NodeAgents, Listener> listeners = new HashMap<>();
    /** By transaction id within the fabric. */
    private final Map<Long, PendingRequest> outstanding = new LinkedHashMap<>();

    private final Timed timer = new Timed() {
        @Override
        protected long nextDeadlineNs() {
            return nextNs();
        }

        @Override
        protected void onDeadline(long nowNs) {
            expire(nowNs);
        }
    };

    private record PendingRequest(Umad2SimClient client, MemorySegment message, long deadlineNs) {}

    Umad2SimClients(IbFabric fabric) {
        this.fabric = fabric;
    }

    // Attaching

    /** Returns the node with this name, the first one for an empty name, or null. */
    @Nullable
    NodeAgents node(String name) {
        for (NodeAgents node : fabric.nodes()) {
            if (name.isEmpty() || node.name().equals(name)) {
                return node;
            }
        }
        return null;
    }

    void attach(Umad2SimClient client) {
        clients.add(client);
        if (!listeners.containsKey(client.node)) {
            Listener listener = new Listener(client.node);
            listeners.put(client.node, listener);
            client.node.add(listener);
        }
    }

    /** Ends a client; its requests end without an answer. */
    void detach(Umad2SimClient client) {
        clients.remove(client);
        outstanding.values().removeIf(request -> request.client().equals(client));
        Listener listener = listeners.get(client.node);
        if (listener != null && clients.stream().noneMatch(other -> other.node.equals(client.node))) {
            listeners.remove(client.node);
            client.node.remove(listener);
        } else {
            client.node.managerChanged();
        }
    }

    void manager(Umad2SimClient client, boolean isThere) {
        client.manager(isThere);
        client.node.managerChanged();
    }

    /** Ends all clients. */
    void close() {
        List.copyOf(clients).forEach(this::detach);
        fabric.loop().unschedule(timer);
    }

    // From a client

    /** Takes a datagram of a client. */
    void datagram(Umad2SimClient client, MemorySegment message) {
        MemorySegment mad = DatagramMessage.mad(message);
        int method = Mad.METHOD.getInt(mad, 0);
        if ((method & MadMethod.RESPONSE) != 0) {
            Mad.TRANSACTION_ID.put(mad, 0, client.answered(Mad.TRANSACTION_ID.get(mad, 0)));
            completeResponse(message, mad);
            send(client, message, mad);
        } else if (method == MadMethod.TRAP_REPRESS.code()) {
            send(client, message, mad);
        } else {
            request(client, message, mad);
        }
    }

    private void request(Umad2SimClient client, MemorySegment message, MemorySegment mad) {
        MemorySegment original =
                MemorySegment.ofArray(new byte[DatagramMessage.BYTES]).copyFrom(message);
        long id = (long) client.number << SERVER_BITS | Mad.TRANSACTION_ID.get(mad, 0) & CLIENT_BITS;
        Mad.TRANSACTION_ID.put(mad, 0, id);
        PendingRequest pending = new PendingRequest(
                client, original, Deadline.after(fabric.loop().clock().nanoTime(), RESPONSE_NS));
        outstanding.put(id, pending);
        if (!send(client, message, mad)) {
            outstanding.remove(id);
            timeout(pending);
        }
        fabric.loop().schedule(timer);
    }

    private static boolean send(Umad2SimClient client, MemorySegment message, MemorySegment mad) {
        int lid = DatagramMessage.destinationLid(message);
        int qpn = DatagramMessage.destinationQpn(message);
        return qpn == 0 ? client.node.sendManagement(mad, lid) : client.node.sendGeneral(mad, lid, qpn);
    }

    /**
     * Writes what the kernel writes for other programs: the pointer of a directed route, which begins behind its last
     * hop, and the header of an answer that is a segment.
     */
    private static void completeResponse(MemorySegment message, MemorySegment mad) {
        int mgmtClass = Mad.MGMT_CLASS.getInt(mad, 0);
        if (mgmtClass == MadClass.SUBN_DIRECTED_ROUTE.code()) {
            Smp.HOP_POINTER.put(mad, 0, Smp.HOP_COUNT.getInt(mad, 0) + 1);
        } else if (mgmtClass == MadClass.SUBN_ADM.code()
                && Mad.METHOD.getInt(mad, 0) == MadMethod.GET_TABLE.responseCode()) {
            Rmpp.VERSION.put(mad, Rmpp.OFFSET, Rmpp.VERSION_1);
            Rmpp.TYPE.put(mad, Rmpp.OFFSET, RmppType.DATA.code());
            Rmpp.FLAGS.put(mad, Rmpp.OFFSET, Rmpp.ACTIVE | Rmpp.FIRST | Rmpp.LAST);
            Rmpp.SEGMENT_NUMBER.put(mad, Rmpp.OFFSET, 1);
            long length = Math.min(DatagramMessage.length(message), Mad.BYTES);
            Rmpp.PAYLOAD_LENGTH.put(mad, Rmpp.OFFSET, Math.max(length - LENGTH_OF_SA_HEADER, 0));
        }
    }

    // To a client

    /** The clients at one node. */
    private final class Listener implements ManagementListener {
        private final NodeAgents node;

        Listener(NodeAgents node) {
            this.node = node;
        }

        @Override
        public boolean isManager() {
            return clients.stream().anyMatch(client -> client.node.equals(node) && client.isManager());
        }

        @Override
        public boolean receive(MemorySegment memory, long mad, int sourceLid, int sourceQpn, int destinationQpn) {
            MemorySegment message = MemorySegment.ofArray(new byte[DatagramMessage.BYTES]);
            MemorySegment copy = DatagramMessage.mad(message);
            MemorySegment.copy(memory, mad, copy, 0, Mad.BYTES);
            boolean isDirected = Mad.MGMT_CLASS.getInt(copy, 0) == MadClass.SUBN_DIRECTED_ROUTE.code();
            DatagramMessage.lids(message, isDirected ? Lid.PERMISSIVE : node.lid(), sourceLid);
            DatagramMessage.qpns(message, destinationQpn, sourceQpn);
            DatagramMessage.length(message, DatagramMessage.visibleLength(copy));
            // A TrapRepress is the answer to a Trap.
            return Mad.isResponse(copy, 0) ? response(message, copy) : requestTo(message, copy);
        }

        private boolean response(MemorySegment message, MemorySegment mad) {
            long id = Mad.TRANSACTION_ID.get(mad, 0);
            PendingRequest pending = outstanding.get(id);
            if (pending == null || !pending.client().node.equals(node)) {
                return false;
            }
            outstanding.remove(id);
            MemorySegment request = pending.message();
            Mad.TRANSACTION_ID.put(mad, 0, Mad.TRANSACTION_ID.get(request, DatagramMessage.MAD));
            DatagramMessage.answerTo(request, message);
            pending.client().send(message);
            return true;
        }

        /** The last client that takes it: one that was started again is before its predecessor. */
        private boolean requestTo(MemorySegment message, MemorySegment mad) {
            for (Umad2SimClient client : clients.reversed()) {
                if (client.node.equals(node) && client.takesRequest(mad)) {
                    int method = Mad.METHOD.getInt(mad, 0);
                    if (method != MadMethod.TRAP.code()) {
                        client.requestSent(
                                Mad.TRANSACTION_ID.get(mad, 0),
                                Deadline.after(fabric.loop().clock().nanoTime(), RESPONSE_NS));
                        fabric.loop().schedule(timer);
                    }
                    client.send(message);
                    return true;
                }
            }
            return false;
        }
    }

    // Time

    private static void timeout(PendingRequest pending) {
        DatagramMessage.status(pending.message(), Errno.ETIMEDOUT.code());
        pending.client().send(pending.message());
    }

    private long nextNs() {
        long next = Deadline.NEVER;
        for (PendingRequest pending : outstanding.values()) {
            next = Deadline.earlier(next, pending.deadlineNs());
        }
        for (Umad2SimClient client : clients) {
            next = Deadline.earlier(next, client.nextNs());
        }
        return next;
    }

    private void expire(long nowNs) {
        for (Map.Entry<Long, PendingRequest> entry : List.copyOf(outstanding.entrySet())) {
            if (Deadline.isDue(entry.getValue().deadlineNs(), nowNs)) {
                outstanding.remove(entry.getKey());
                timeout(entry.getValue());
            }
        }
        for (Umad2SimClient client : List.copyOf(clients)) {
            if (client.isSilent(nowNs)) {
                detach(client);
            }
        }
    }
}
