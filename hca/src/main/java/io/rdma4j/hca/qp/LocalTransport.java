// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.base.local.LocalChannel;
import io.rdma4j.base.local.LocalReceiver;
import io.rdma4j.hca.InputErrors;
import io.rdma4j.hca.PortStateMachine;
import io.rdma4j.hca.carrier.Carrier;
import io.rdma4j.hca.carrier.CarrierHeaders;
import io.rdma4j.hca.carrier.CarrierPath;
import io.rdma4j.hca.carrier.LocalPeers;
import io.rdma4j.transport.port.EagerMessage;
import io.rdma4j.transport.port.TransportContext;
import io.rdma4j.transport.port.TransportCounters;
import io.rdma4j.transport.port.TransportOptions;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Delivers eager messages of a port by a local channel to queue pairs of another process on this machine. It makes the
 * same checks as for packets. A message from a local channel that fails a check is dropped and counted here. For the
 * owner of the port loop only.
 */
public final class LocalTransport implements LocalReceiver {
    private final LocalPeers peers;
    private final CarrierHeaders headers;
    private final QpTable queuePairs;
    private final PortStateMachine states;
    private final PortOutput output;
    private final InputErrors errors;
    private final TransportCounters counters;

    /** The eager message that was received last. */
    private final EagerMessage received;

    /** False if the port places packets out of order or controls congestion; both need packets. */
    private final boolean isAllowed;

    /** Path of the last lookup in this run of the loop; the fields below are the result. */
    private @Nullable CarrierPath known;

    private boolean sends;
    private boolean isUnobserved;
    private @Nullable LocalChannel way;

    /** Channel on which messages were sent in this run and not yet flushed. */
    private @Nullable LocalChannel unflushed;

    public LocalTransport(
            Carrier carrier,
            QpTable queuePairs,
            PortStateMachine states,
            PortOutput output,
            InputErrors errors,
            TransportContext context) {
        this.peers = carrier.localPeers();
        this.headers = carrier.headers();
        this.queuePairs = queuePairs;
        this.states = states;
        this.output = output;
        this.errors = errors;
        this.counters = context.counters();
        this.received = context.receivedMessage();
        TransportOptions options = context.options();
        this.isAllowed = !options.placesOutOfOrder() && options.congestionControl() == null;
    }

    /** Starts to receive local messages. */
    public void open() {
        peers.start(this);
    }

    public void close() {
        peers.stop();
    }

    // Sending

    /** Prepares the local channel of a new connection, so that setup does not delay its first message. */
    void resolve(CarrierPath path) {
        if (!headers.leadsHere(path)) {
            peers.resolve(path);
        }
    }

    /** Begins a run of the loop. Until {@link #end}, the result of a path lookup remains valid. */
    void begin() {
        known = null;
    }

    /** Ends a run of the loop: flushes the local channel, which notifies the peer. */
    void end() {
        known = null;
        flush();
    }

    private void flush() {
        LocalChannel way = unflushed;
        if (way != null) {
            unflushed = null;
            way.flush();
        }
    }

    /** See {@link io.rdma4j.transport.port.QpPort#sendEager}. */
    boolean sendEager(HcaQp from, EagerMessage message, CarrierPath path) {
        look(path);
        LocalChannel to = way;
        if (to == null || !isUnobserved || !output.accepts()) {
            return false;
        }
        from.engine().acknowledgeBy(message);
        if (!send(to, message, path)) {
            return false;
        }
        from.engine().onAcknowledged(message);
        return true;
    }

    /** Looks up the destination of a path, once per run of the loop. */
    @SuppressWarnings("ReferenceEquality") // one object per connection
    private void look(CarrierPath path) {
        if (path == known) {
            return;
        }
        known = path;
        sends = isAllowed && states.sends() && !states.failure().isThere();
        boolean isHere = headers.leadsHere(path);
        isUnobserved = !isHere && peers.arePassedUnseen();
        way = sends && !isHere ? peers.channel(path) : null;
    }

    /** See {@link io.rdma4j.transport.port.QpPort#answer}. */
    boolean answer(EagerMessage answer, CarrierPath path) {
        look(path);
        // A rejection is sent even if the traffic is observed, because it makes the peer send packets instead.
        LocalChannel to = answer.refuses() || isUnobserved ? way : null;
        return to != null && output.accepts() && send(to, answer, path);
    }

    /** Returns false if the channel is full or the payload is no longer accessible. */
    @SuppressWarnings("ReferenceEquality") // one object per channel
    private boolean send(LocalChannel to, EagerMessage message, CarrierPath path) {
        long token = to.refer(message.memory(), message.offset(), message.length());
        if (token != LocalChannel.NO_REFERENCE) {
            message.refer(token);
        }
        int bytes = message.eagerBytes();
        long at = to.begin(bytes);
        if (at == LocalChannel.NO_ROOM || !message.write(to.memory(), at)) {
            return false;
        }
        to.send(bytes);
        if (to != unflushed) {
            flush();
            unflushed = to;
        }
        int packets = Math.max(1, message.packets());
        countSent(packets, message.length());
        peers.countSent(packets, message.length() + packets * path.headerBytes());
        return true;
    }

    private void countSent(int packets, int bytes) {
        counters.sentPackets += packets;
        counters.sentBytes += bytes;
    }

    // Receiving

    @Override
    public boolean isOpen() {
        return isAllowed && peers.arePassedUnseen();
    }

    @Override
    public boolean receive(LocalChannel way, MemorySegment memory, long at, int bytes) {
        if (!received.read(memory, at, bytes)) {
            return false;
        }
        HcaQp qp = queuePairs.find(received.destinationQpn());
        if (qp == null || states.failure().isThere() || !states.receives()) {
            errors.counters().noQueuePair++;
        } else if (!qp.isPeerAt(way.source(), way.destination())) {
            errors.counters().wrongAddress++;
        } else if (!qp.acceptsPkey(received.pkey())) {
            errors.badPkey(received.pkey());
        } else {
            countReceived(received);
            int packets = Math.max(1, received.packets());
            peers.countReceived(packets, received.length() + packets * qp.headerBytes());
            deliver(qp, way);
        }
        // Flush now: a rejection is sent outside the port's run.
        end();
        return true;
    }

    private void deliver(HcaQp qp, LocalChannel way) {
        try {
            qp.onLocalMessage(received, peers.arePassedUnseen() && isFound(way));
        } catch (Throwable error) {
            errors.fail(error);
        }
    }

    /** Returns false if the payload cannot be referenced, so that the peer must send it as packets. */
    private boolean isFound(LocalChannel way) {
        if (!received.isReference()) {
            return true;
        }
        MemorySegment memory = way.referenced(received.token(), received.length());
        if (memory != null) {
            received.payload(memory, LocalChannel.offset(received.token()));
        }
        return memory != null;
    }

    private void countReceived(EagerMessage message) {
        counters.receivedPackets += Math.max(1, message.packets());
        counters.receivedBytes += message.length();
    }
}
