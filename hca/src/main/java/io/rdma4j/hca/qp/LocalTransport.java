// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.base.local.LinkRing;
import io.rdma4j.base.local.LocalChannel;
import io.rdma4j.base.local.LocalReceiver;
import io.rdma4j.hca.InputErrors;
import io.rdma4j.hca.PortStateMachine;
import io.rdma4j.hca.carrier.Carrier;
import io.rdma4j.hca.carrier.CarrierHeaders;
import io.rdma4j.hca.carrier.CarrierPath;
import io.rdma4j.hca.carrier.LocalPeers;
import io.rdma4j.transport.port.LinkReader;
import io.rdma4j.transport.port.LinkWriter;
import io.rdma4j.transport.port.TransportContext;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.spi.PollSource;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes the links of a port to queue pairs of other processes on this machine. The sender of messages chooses a ring of
 * the channel and announces it by a message of the channel:
 *
 * <pre>
 *    0  number of the ring (32)
 *    4  destination queue pair (32)
 *    8  epoch (64)
 *   16  position of the first message (64)
 *   24  partition of the sender (32)
 *   28  0 (32)
 * </pre>
 *
 * <p>The receiver makes the same checks as for a packet, once. If one fails, it closes the ring, and packets follow.
 * For the owner of the port loop, unless a method names another thread.
 */
public final class LocalTransport implements LocalReceiver, PollSource {
    private static final int ANNOUNCEMENT_BYTES = 32;

    private final LocalPeers peers;
    private final CarrierHeaders headers;
    private final QpTable queuePairs;
    private final PortStateMachine states;
    private final PortOutput output;
    private final InputErrors errors;
    private final QpLinks links;

    /** False if the port places packets out of order or controls congestion; both need packets. */
    private final boolean isAllowed;

    /** The rings of each channel that a link of this port has used. */
    private final IdentityHashMap<LocalChannel, ChannelRings> channels = new IdentityHashMap<>();

    /** Links, and some that were dissolved. */
    private volatile RingLink[] all = {};

    public LocalTransport(
            Carrier carrier,
            QpTable queuePairs,
            PortStateMachine states,
            PortOutput output,
            InputErrors errors,
            QpLinks links,
            TransportContext context) {
        this.peers = carrier.localPeers();
        this.headers = carrier.headers();
        this.queuePairs = queuePairs;
        this.states = states;
        this.output = output;
        this.errors = errors;
        this.links = links;
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

    /** Prepares the local channel of a new connection, so that setup does not delay its first message. */
    void resolve(CarrierPath path) {
        if (!headers.leadsHere(path)) {
            peers.resolve(path);
        }
    }

    /** Returns true if no program observes or filters packets. Any thread. */
    @Override
    public boolean isOpen() {
        return isAllowed && peers.arePassedUnseen();
    }

    // Sending

    /** Opens a ring for the requests of a queue pair, if it has some, has no ring, and nothing is in flight. */
    void join(HcaQp from, CarrierPath path) {
        QpLink there = from.link();
        boolean wanted = there == null || there instanceof RingLink ring && !ring.hasWriter();
        boolean elsewhere = !headers.leadsHere(path);
        LocalChannel channel = wanted && elsewhere && isOpen() && output.accepts() ? peers.channel(path) : null;
        if (channel == null || there instanceof RingLink ring && !ring.mayWrite(channel) || !mayUseRing(from)) {
            return;
        }
        LinkWriter writer = rings(channel).take();
        if (writer == null) {
            return;
        }
        if (!announce(channel, rings(channel).number(writer), writer, from)) {
            rings(channel).giveBack(writer);
            return;
        }
        RingLink link = there instanceof RingLink ring ? ring : link(from, channel);
        boolean taken = link.hold();
        link.open(writer, rings(channel));
        if (taken) {
            link.release();
        }
    }

    private static boolean mayUseRing(HcaQp from) {
        QpLink held = from.hold();
        try {
            return from.engine().mayUseRing();
        } finally {
            LoopQp.release(held);
        }
    }

    private ChannelRings rings(LocalChannel channel) {
        ChannelRings known = channels.get(channel);
        if (known == null) {
            known = new ChannelRings(channel);
            channels.put(channel, known);
        }
        return known;
    }

    private static boolean announce(LocalChannel channel, int number, LinkWriter writer, HcaQp from) {
        long at = channel.begin(ANNOUNCEMENT_BYTES);
        if (at == LocalChannel.NO_ROOM) {
            return false;
        }
        long epoch = writer.begin();
        MemorySegment memory = channel.memory();
        memory.set(ValueLayout.JAVA_INT, at, number);
        memory.set(ValueLayout.JAVA_INT, at + 4, from.engine().destinationQpn());
        memory.set(ValueLayout.JAVA_LONG, at + 8, epoch);
        memory.set(ValueLayout.JAVA_LONG, at + 16, writer.start());
        memory.set(ValueLayout.JAVA_INT, at + 24, from.engine().pkey());
        memory.set(ValueLayout.JAVA_INT, at + 28, 0);
        channel.send(ANNOUNCEMENT_BYTES);
        return true;
    }

    private RingLink link(HcaQp qp, LocalChannel channel) {
        RingLink made =
                new RingLink(links, this, peers, channel, qp.engine(), qp, qp, qp::headerBytes, qp::storableDomain);
        qp.link(made);
        links.add(made);
        all = Stream.concat(Arrays.stream(all).filter(link -> !link.isDissolved()), Stream.of(made))
                .toArray(RingLink[]::new);
        qp.engine().addSource(made);
        return made;
    }

    // Receiving

    @Override
    public boolean receive(LocalChannel way, MemorySegment memory, long at, int bytes) {
        int number = bytes == ANNOUNCEMENT_BYTES ? memory.get(ValueLayout.JAVA_INT, at) : -1;
        if (number < 0 || number >= LinkRing.COUNT) {
            return false;
        }
        int qpn = memory.get(ValueLayout.JAVA_INT, at + 4);
        long epoch = memory.get(ValueLayout.JAVA_LONG, at + 8);
        long start = memory.get(ValueLayout.JAVA_LONG, at + 16);
        int pkey = memory.get(ValueLayout.JAVA_INT, at + 24) & 0xFFFF;
        LinkReader reader = new LinkReader(way.linkRing(false, number), epoch, start);
        HcaQp qp = find(way, qpn, pkey);
        QpLink there = qp == null ? null : qp.link();
        if (qp == null || there != null && !(there instanceof RingLink ring && ring.reads(way))) {
            reader.close();
            return true;
        }
        RingLink link = there instanceof RingLink ring ? ring : link(qp, way);
        boolean taken = link.hold();
        link.open(reader, way);
        if (taken) {
            link.release();
        }
        return true;
    }

    /** Returns the queue pair that may be the destination of messages; null if there is none. */
    private @Nullable HcaQp find(LocalChannel way, int qpn, int pkey) {
        HcaQp qp = queuePairs.find(qpn);
        if (qp == null || states.failure().isThere() || !states.receives()) {
            errors.counters().noQueuePair++;
        } else if (!qp.isPeerAt(way.source(), way.destination())) {
            errors.counters().wrongAddress++;
        } else if (!qp.acceptsPkey(pkey)) {
            errors.badPkey(pkey);
        } else {
            return qp.mayHaveRing() && isOpen() ? qp : null;
        }
        return null;
    }

    @Override
    public boolean isPending() {
        for (RingLink link : all) {
            if (link.isPending()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void closed(LocalChannel channel) {
        for (RingLink link : all) {
            if (link.uses(channel) && !link.isDissolved()) {
                link.stopWaiting();
                links.dissolve(link);
                link.serve();
            }
        }
        channels.remove(channel);
    }

    // The poll source of the port, for queue pairs that no thread polls

    @Override
    public void poll() {
        boolean open = links.areOpen();
        for (RingLink link : all) {
            if (!open && !link.isDissolved()) {
                // Peers must not store into memory of a port that receives nothing.
                links.dissolve(link);
            } else if (link.isPending()) {
                link.serve();
            }
        }
    }

    @Override
    public boolean beforeSleep(int sleeper) {
        return !isPending();
    }

    @Override
    public void afterSleep(int sleeper) {
        // The channels publish who sleeps.
    }

    @Override
    public boolean isAwaited() {
        return false;
    }
}
