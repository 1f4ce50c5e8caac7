package io.rdma4j.rxe;

import io.rdma4j.base.Gid;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NoteReceiver;
import io.rdma4j.net.NoteWay;
import io.rdma4j.net.ip.IpStack;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.Handover;
import io.rdma4j.transport.TransportCounters;
import io.rdma4j.transport.TransportOptions;
import io.rdma4j.transport.WholeMessage;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Where a port hands messages over whole, past packets: to its own queue pairs, or by notes to those of another process on this machine. Whatever a packet would be
 * checked for is checked here; what does not pass is sent as packets, which then are dropped and counted where packets are. Belongs to the owner of the
 * port loop.
 */
final class PortHandover implements NoteReceiver {
    private final RxePort port;
    private final NetDevice device;
    private final IpStack stack;
    private final TransportCounters counters;

    /** What comes as a note. */
    private final WholeMessage received;

    /** Where packets are held back, or marked, there have to be packets. */
    private final boolean isAllowed;

    /** Where the path that was asked for last in this turn leads. */
    private @Nullable NetworkPath known;

    private boolean sends;
    private boolean isHere;
    private boolean isSeenByNobody;
    private @Nullable NoteWay way;

    /** By which something was sent in this turn. */
    private @Nullable NoteWay unflushed;

    PortHandover(RxePort port, NetDevice device, IpStack stack) {
        this.port = port;
        this.device = device;
        this.stack = stack;
        this.counters = port.context().counters();
        this.received = port.context().receivedMessage();
        TransportOptions options = port.options().transport();
        this.isAllowed = !options.placesOutOfOrder() && options.congestionControl() == null;
    }

    /** Takes notes from now on, from the device's peers. */
    void open() {
        device.driver().ops().noteReceiver(this);
    }

    void close() {
        device.driver().ops().noteReceiver(null);
    }

    // Sending

    /** A connection will send this way: what there is to find out is not to delay its first message. */
    void expect(NetworkPath path) {
        if (!port.gids().contains(path.destination())) {
            device.driver().ops().expect(path.source(), path.destination(), path.destinationPort());
        }
    }

    /** The port has its turn in the loop: until {@link #end} everything is as it is now. */
    void begin() {
        known = null;
    }

    /** The turn is over: who has been sent something hears of it. */
    void end() {
        known = null;
        flush();
    }

    private void flush() {
        NoteWay way = unflushed;
        if (way != null) {
            unflushed = null;
            way.flush();
        }
    }

    /** See {@link io.rdma4j.transport.QpPort#handOver}. */
    Handover handOver(RxeQp from, WholeMessage message, NetworkPath path) {
        look(path);
        if (!sends || !port.output().accepts()) {
            return Handover.NO_WAY;
        }
        return isHere ? handOverHere(message, path) : handOverByNote(from, message, path);
    }

    /** Finds out where a path leads, once a turn. */
    @SuppressWarnings("ReferenceEquality") // the path of one connection
    private void look(NetworkPath path) {
        if (path == known) {
            return;
        }
        known = path;
        sends = isAllowed && port.states().sends() && !port.failure().isThere();
        isHere = port.gids().contains(path.destination());
        isSeenByNobody = !isHere && isUnseen();
        way = sends && !isHere
                ? device.driver().ops().noteWay(path.source(), path.destination(), path.destinationPort())
                : null;
    }

    /** To a queue pair of the port itself. What waits to be received as packets keeps its turn. */
    private Handover handOverHere(WholeMessage message, NetworkPath path) {
        RxeQp to = port.queuePairs().find(message.destinationQpn());
        boolean open = to != null && port.states().receives() && port.loopback().isEmpty();
        if (to == null || !open || !to.isPeerAt(path.destination(), path.source()) || !to.acceptsPkey(message.pkey())) {
            return Handover.NO_WAY;
        }
        if (!to.engine().take(message)) {
            // It may have something to say of that.
            port.loop().ready(to);
            return Handover.NO_WAY;
        }
        countSent(message.packets(), message.length());
        countReceived(message);
        return Handover.TAKEN;
    }

    private Handover handOverByNote(RxeQp from, WholeMessage message, NetworkPath path) {
        NoteWay to = way;
        if (to == null || !isSeenByNobody) {
            return Handover.NO_WAY;
        }
        from.engine().acknowledgeBy(message);
        if (!send(to, message, path)) {
            return Handover.NO_WAY;
        }
        from.engine().onAcknowledged(message);
        return Handover.SENT;
    }

    /** See {@link io.rdma4j.transport.QpPort#answer}. */
    boolean answer(WholeMessage answer, NetworkPath path) {
        look(path);
        // A refusal stands for no packet: it is how a peer learns that somebody wants to see them.
        NoteWay to = answer.refuses() || isSeenByNobody ? way : null;
        return to != null && port.output().accepts() && send(to, answer, path);
    }

    private boolean isUnseen() {
        return device.isPassedUnseen() && stack.isPassedUnseen();
    }

    /** False if there is no room, or the payload is gone. */
    @SuppressWarnings("ReferenceEquality") // a way is itself
    private boolean send(NoteWay to, WholeMessage message, NetworkPath path) {
        long token = to.lend(message.memory(), message.offset(), message.length());
        if (token != NoteWay.NOT_LENT) {
            message.lend(token);
        }
        int bytes = message.noteBytes();
        long at = to.begin(bytes);
        if (at == NoteWay.NO_ROOM || !message.write(to.memory(), at)) {
            return false;
        }
        to.send(bytes);
        if (to != unflushed) {
            flush();
            unflushed = to;
        }
        int packets = Math.max(1, message.packets());
        countSent(packets, message.length());
        device.stats().countTransmitted(packets, bytes(message, packets, path.destination()));
        return true;
    }

    /** What the network would count. */
    private static int bytes(WholeMessage message, int packets, Gid peer) {
        return message.length() + packets * NetworkPath.headerBytes(peer);
    }

    private void countSent(int packets, int bytes) {
        counters.sentPackets += packets;
        counters.sentBytes += bytes;
    }

    // Receiving

    /**
     * True if a packet that came from the network is not the peer's: the peer's come through shared memory, or from the UDP port that its driver has
     * bound. The latter counts on the loopback addresses, where any user may take an address but not a port that is bound.
     */
    boolean isForged(SkBuff skb, NetworkPath peer) {
        return device.driver().ops().isPrivate(peer.source(), peer.destination(), peer.destinationPort())
                || peer.isOverLoopback()
                        && device.driver().udpSourcePort() != 0
                        && NetworkPath.sourcePort(skb) != peer.destinationPort();
    }

    @Override
    public boolean isOpen() {
        return isAllowed && isUnseen();
    }

    @Override
    public boolean receive(NoteWay way, MemorySegment memory, long at, int bytes) {
        if (!received.read(memory, at, bytes)) {
            return false;
        }
        RxeQp qp = port.queuePairs().find(received.destinationQpn());
        if (qp == null || port.failure().isThere() || !port.states().receives()) {
            port.inputCounters().noQueuePair++;
        } else if (!qp.isPeerAt(way.source(), way.destination())) {
            port.inputCounters().wrongAddress++;
        } else if (!qp.acceptsPkey(received.pkey())) {
            port.inputCounters().badPkey++;
            port.management().badPkey(received.pkey(), port.netLoop().nowNs());
        } else {
            countReceived(received);
            int packets = Math.max(1, received.packets());
            device.stats().countReceived(packets, bytes(received, packets, way.destination()));
            deliver(qp, way);
        }
        // Of a refusal, which is sent outside of the port's turn, the peer hears now.
        end();
        return true;
    }

    private void deliver(RxeQp qp, NoteWay way) {
        try {
            qp.onNote(received, isUnseen() && isFound(way));
        } catch (Throwable error) {
            // The peer, and the device below, have no part in it.
            port.breakDown(error);
        }
    }

    /** False if the payload is not where the peer says: then packets have to bring it. */
    private boolean isFound(NoteWay way) {
        if (!received.lends()) {
            return true;
        }
        MemorySegment memory = way.lent(received.token(), received.length());
        if (memory != null) {
            received.payload(memory, NoteWay.offset(received.token()));
        }
        return memory != null;
    }

    private void countReceived(WholeMessage message) {
        counters.receivedPackets += Math.max(1, message.packets());
        counters.receivedBytes += message.length();
    }
}
