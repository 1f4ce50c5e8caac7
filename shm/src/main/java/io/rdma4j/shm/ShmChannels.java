// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import io.rdma4j.base.Gid;
import io.rdma4j.base.local.LocalDirectory;
import io.rdma4j.base.local.LocalReceiver;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.shm.PeerTable.Peer;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.net.ConnectException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Creates, maintains and ends the channels of one device. A channel is created when packets are sent or announced to a
 * process of this machine, or when such a process connects. For the owner of the loop, unless a method states
 * otherwise.
 *
 * <p>If no process was found for a destination, the search is not repeated until another process has probed this one
 * ({@link #checkedIn}). Every process probes all others when it starts.
 */
final class ShmChannels implements Acceptor.Host {
    private static final System.Logger LOGGER = System.getLogger(ShmChannels.class.getName());

    private final ShmEnd end;
    private final ShmCounters counters;
    private List<Gid> addresses;
    private final ZeroCopyQuota share = new ZeroCopyQuota(this::reap);
    private final PeerTable peers = new PeerTable();
    private final WakeupSender wakeups = new WakeupSender();

    /** Channels that have ended while buffers refer to their memory. */
    private final List<ShmChannel> ended = new ArrayList<>();

    /** Lock between threads that access ring memory without owning the loop and the thread that unmaps it. */
    private final Object mapped = new Object();

    private volatile @Nullable LocalReceiver localReceiver;
    private volatile ShmChannel[] channels = {};
    private volatile boolean asleep;

    /** Number of the last file with rings. Numbers of segments count from 1. */
    private int lastRing = 1 << 30;

    ShmChannels(ShmEnd end, List<Gid> addresses) {
        this.end = end;
        this.counters = end.counters();
        this.addresses = List.copyOf(addresses);
    }

    /** Serves these addresses from now on. */
    void follow(List<Gid> next) {
        addresses = List.copyOf(next);
        forgetDestinationsWithoutChannel();
    }

    /** Notifies the other processes that a new one serves addresses, and deletes the files of dead ones. */
    void announce() throws IOException {
        for (ShmDirectory.Entry living : end.directory().sweep()) {
            if (living.owner() != end.owner()) {
                wakeups.visit(WakeupSender.listener(living.address(), living.port()));
            }
        }
    }

    ShmChannel[] all() {
        return channels;
    }

    boolean isEmpty() {
        return channels.length == 0;
    }

    /** Returns true if there are channels, and no packet waits in any. Any thread. */
    boolean areQuiet() {
        ShmChannel[] all = channels;
        try {
            for (ShmChannel channel : all) {
                if (!channel.in().isEmpty()) {
                    return false;
                }
            }
            return all.length > 0 && !areLinksPending();
        } catch (IllegalStateException unmapped) {
            // A channel has ended meanwhile.
            return false;
        }
    }

    /** Returns the channel for a packet; null if the packet must be sent by the socket. */
    @Nullable
    ShmChannel to(SkBuff skb) {
        if (skb.shinfo().offload() == null || !RingProducer.mayHold(skb)) {
            return null;
        }
        Peer peer = peers.findAgain(skb);
        if (peer == null) {
            if (!ShmPath.isPlain(skb)) {
                return null;
            }
            peer = findOrLook(skb);
        }
        ShmChannel channel = peer.channel();
        return channel != null && channel.out().holds(skb) ? channel : null;
    }

    /** Prepares a channel for packets on a path. */
    void resolve(ShmPath path) {
        if (peers.find(path.source(), path.destination(), path.port()) == null) {
            peers.put(look(path));
        }
    }

    private Peer findOrLook(SkBuff skb) {
        Peer known = peers.find(skb);
        if (known != null) {
            return known;
        }
        Peer found = look(ShmPath.of(skb));
        peers.put(found);
        return found;
    }

    /** Returns the channel from an address to a port of another address; null if none was looked up, or none exists. */
    @Nullable
    ShmChannel between(Gid source, Gid destination, int to) {
        Peer peer = peers.find(source, destination, to);
        return peer == null ? null : peer.channel();
    }

    /** Records for the receiver that a packet is sent by the socket, if there is a channel to it. */
    void usesSocket(SkBuff skb) {
        for (ShmChannel channel : channels) {
            if (channel.path().isOf(skb)) {
                channel.out().usesSocket();
            }
        }
    }

    /** See {@link ShmTransport#isPrivate}. */
    boolean arePrivate(Gid source, Gid destination, int to) {
        Peer peer = peers.find(source, destination, to);
        ShmChannel known = peer == null ? null : peer.channel();
        if (peer != null) {
            return known != null && known.isPrivate();
        }
        // The table drops destinations when it is full; their channels remain.
        for (ShmChannel channel : channels) {
            if (channel.path().is(source, destination, to)) {
                return channel.isPrivate();
            }
        }
        return false;
    }

    private Peer look(ShmPath path) {
        for (ShmChannel channel : channels) {
            if (channel.path().equals(path)) {
                return new Peer(path, channel);
            }
        }
        return new Peer(path, addresses.contains(path.source()) ? connect(path) : null);
    }

    private @Nullable ShmChannel connect(ShmPath path) {
        try {
            for (ShmDirectory.Entry entry : end.directory().find(path.destination(), path.port())) {
                try {
                    return connect(path, entry);
                } catch (ConnectException e) {
                    ShmDirectory.delete(entry);
                }
            }
        } catch (IOException e) {
            LOGGER.log(Level.DEBUG, "no shared memory to " + path.destination() + ": packets go by the socket", e);
        }
        return null;
    }

    private ShmChannel connect(ShmPath path, ShmDirectory.Entry entry) throws IOException {
        SocketChannel connection = LocalDirectory.connect(entry.path());
        if (connection == null) {
            throw new IOException(entry.path() + " does not answer at once");
        }
        Arena arena = Arena.ofShared();
        int ring = ++lastRing;
        try {
            MemorySegment memory = end.directory().create(end.owner(), ring, RingLayout.FILE_BYTES, arena);
            new Hello(end.directory().namespace(), path.source(), path.destination(), end.port(), ring, end.owner())
                    .send(connection);
            ShmChannel channel = newChannel(path, entry.owner(), new RingFile(ring, connection, arena, memory));
            add(channel);
            wakeups.visit(channel.listener());
            return channel;
        } catch (IOException | RuntimeException e) {
            Acceptor.close(connection);
            arena.close();
            end.directory().delete(end.owner(), ring);
            throw e;
        }
    }

    private ShmChannel newChannel(ShmPath path, long peer, RingFile rings) {
        return new ShmChannel(end, path, peer, rings, share, this::wake);
    }

    @Override
    public void onConnection(SocketChannel connection, Hello hello) {
        ShmPath path = new ShmPath(hello.to(), hello.from(), hello.port());
        Arena arena = Arena.ofShared();
        try {
            if (hello.namespace() != end.directory().namespace() || !addresses.contains(hello.to())) {
                throw new IOException("from another network, or for another address");
            }
            MemorySegment memory = end.directory().take(hello.owner(), hello.ring(), RingLayout.FILE_BYTES, arena);
            ShmChannel channel =
                    newChannel(path, hello.owner(), new RingFile(RingFile.OF_PEER, connection, arena, memory));
            channel.answer();
            add(channel);
            forgetDestinationsWithoutChannel();
        } catch (IOException e) {
            LOGGER.log(Level.DEBUG, "a peer of " + path.destination() + " was not let in", e);
            Acceptor.close(connection);
            arena.close();
        }
    }

    @Override
    public void checkedIn() {
        forgetDestinationsWithoutChannel();
    }

    /**
     * Drops destinations without a channel, because a new process may serve them. Destinations with a channel stay,
     * because local messages need the entry, and the next message may be local.
     */
    private void forgetDestinationsWithoutChannel() {
        peers.clear();
        for (ShmChannel channel : channels) {
            ShmPath path = channel.path();
            if (peers.find(path.source(), path.destination(), path.port()) == null) {
                peers.put(new Peer(path, channel));
            }
        }
    }

    /** Sets the receiver of all peers' local messages. */
    void channelTo(@Nullable LocalReceiver next) {
        localReceiver = next;
        for (ShmChannel channel : channels) {
            channel.channelTo(next);
        }
    }

    /** Publishes to all peers whether they may send local messages. */
    void acceptMessages() {
        for (ShmChannel channel : channels) {
            channel.acceptMessages(localReceiver);
        }
    }

    private void add(ShmChannel channel) {
        channel.channelTo(localReceiver);
        channel.mapAhead();
        ShmChannel[] more = Arrays.copyOf(channels, channels.length + 1);
        more[channels.length] = channel;
        channels = more;
        counters.channels++;
        // A thread that has fallen asleep in the meantime did not see this channel.
        VarHandle.fullFence();
        if (asleep) {
            channel.in().asleep(true);
        }
    }

    void wake(ShmChannel channel) {
        counters.wakeUps++;
        wakeups.wake(channel.listener());
    }

    /** Frees the packets that peers have read. */
    void reap() {
        for (ShmChannel channel : channels) {
            channel.out().reap();
        }
    }

    /** Maintains all channels: ends broken ones, frees packets, unmaps memory and repeats connection requests. */
    void attend() {
        for (ShmChannel channel : channels) {
            if (channel.isOver()) {
                end(channel);
            } else {
                channel.out().reap();
                channel.release();
                channel.acceptMessages(localReceiver);
                if (channel.isWakeupDue()) {
                    wakeups.visit(channel.listener());
                }
            }
        }
        for (OwnSegments.Segment gone = end.segments().findGone();
                gone != null;
                gone = end.segments().findGone()) {
            end.segments().remove(gone);
            for (ShmChannel channel : channels) {
                channel.out().forget(gone.number());
            }
        }
        synchronized (mapped) {
            ended.removeIf(ShmChannel::unmap);
        }
    }

    @SuppressWarnings("ReferenceEquality") // identity
    private void end(ShmChannel channel) {
        if (channel.isCutOff()) {
            counters.cutOff++;
            LOGGER.log(
                    Level.WARNING,
                    "{0} has left the rules of shared memory: packets go by the socket",
                    channel.path().destination());
        }
        synchronized (mapped) {
            channels = Arrays.stream(channels).filter(other -> other != channel).toArray(ShmChannel[]::new);
        }
        counters.channels--;
        LocalReceiver receiver = localReceiver;
        if (receiver != null) {
            receiver.closed(channel);
        }
        channel.close();
        if (!channel.isAnswered()) {
            end.directory().delete(end.owner(), channel.ring());
        }
        ended.add(channel);
        // Until a new process probes this one, which may be the same peer again.
        peers.put(new Peer(channel.path(), null));
    }

    boolean fallAsleep() {
        synchronized (mapped) {
            asleep = true;
            for (ShmChannel channel : channels) {
                channel.in().asleep(true);
            }
            // The fence orders the flag before the last read of the rings. The producer has one between its entry and
            // its read of the flag.
            VarHandle.fullFence();
            for (ShmChannel channel : channels) {
                if (!channel.in().isEmpty()) {
                    return false;
                }
            }
            return !areLinksPending();
        }
    }

    private boolean areLinksPending() {
        LocalReceiver receiver = localReceiver;
        return receiver != null && receiver.isPending();
    }

    void wakeUp() {
        synchronized (mapped) {
            asleep = false;
            for (ShmChannel channel : channels) {
                channel.in().asleep(false);
            }
        }
    }

    void close() {
        for (ShmChannel channel : channels) {
            end(channel);
        }
        synchronized (mapped) {
            ended.removeIf(ShmChannel::unmap);
        }
        wakeups.close();
    }
}
