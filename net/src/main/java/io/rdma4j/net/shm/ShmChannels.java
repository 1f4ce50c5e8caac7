package io.rdma4j.net.shm;

import io.rdma4j.base.Gid;
import io.rdma4j.net.NoteReceiver;
import io.rdma4j.net.shm.PeerTable.Peer;
import io.rdma4j.packet.SkBuff;
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
 * The channels of one device: made when packets want to go to a process of this machine, or will, or when such a process asks for one, looked after, and
 * ended. Belongs to the owner of the loop, but for what says otherwise.
 *
 * <p>Where no process was found none is looked for again, until somebody new has looked in ({@link #lookedIn}), as everybody does who
 * starts.
 */
final class ShmChannels implements Reception.Host {
    private static final System.Logger LOGGER = System.getLogger(ShmChannels.class.getName());

    private final ShmDirectory directory;
    private final OwnSegments segments;
    private final List<Gid> addresses;
    private final int port;
    private final long owner;
    private final ShmCounters counters;
    private final @Nullable ProcessMemory system;
    private final ReferredShare share = new ReferredShare(this::reap);
    private final PeerTable peers = new PeerTable();
    private final DoorKnocker knocker = new DoorKnocker();

    /** Those that have ended and whose memory is still in use. */
    private final List<ShmChannel> ended = new ArrayList<>();

    /** Held by who touches memory without owning the loop, and by who takes it away. */
    private final Object mapped = new Object();

    private @Nullable NoteReceiver noteReceiver;
    private volatile ShmChannel[] channels = {};
    private volatile boolean asleep;

    /** Of the files with rings; others of this owner count from 1. */
    private int lastRing = 1 << 30;

    ShmChannels(
            ShmDirectory directory,
            OwnSegments segments,
            List<Gid> addresses,
            int port,
            long owner,
            @Nullable ProcessMemory system,
            ShmCounters counters) {
        this.directory = directory;
        this.segments = segments;
        this.addresses = List.copyOf(addresses);
        this.port = port;
        this.owner = owner;
        this.counters = counters;
        this.system = system;
    }

    /** Lets others know that there is somebody new, and cleans up after the dead. */
    void announce() throws IOException {
        for (ShmDirectory.Entry living : directory.sweep()) {
            if (living.owner() != owner) {
                knocker.visit(DoorKnocker.door(living.address(), living.port()));
            }
        }
    }

    ShmChannel[] all() {
        return channels;
    }

    boolean isEmpty() {
        return channels.length == 0;
    }

    /** The channel for a packet; null if it does not go this way. */
    @Nullable
    ShmChannel to(SkBuff skb) {
        if (skb.offload() == null || !RingProducer.mayHold(skb)) {
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

    /** Packets will go this way. */
    void expect(ShmPath path) {
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

    /** The one from an address to a port of another one; null if nobody has looked for it yet, or there is none. */
    @Nullable
    ShmChannel between(Gid source, Gid destination, int to) {
        Peer peer = peers.find(source, destination, to);
        return peer == null ? null : peer.channel();
    }

    /** A packet goes by the socket: its receiver hears of that, if there is a channel to it. */
    void usesSocket(SkBuff skb) {
        for (ShmChannel channel : channels) {
            if (channel.path().isOf(skb)) {
                channel.out().usesSocket();
            }
        }
    }

    /** See {@link SharedMemory#isPrivate}. */
    boolean arePrivate(Gid source, Gid destination, int to) {
        Peer peer = peers.find(source, destination, to);
        ShmChannel known = peer == null ? null : peer.channel();
        if (peer != null) {
            return known != null && known.isPrivate();
        }
        // The table forgets destinations when it is full, but their channels live.
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
            for (ShmDirectory.Entry entry : directory.find(path.destination(), path.port())) {
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
        SocketChannel connection = ShmDirectory.connect(entry.path());
        Arena arena = Arena.ofShared();
        int ring = ++lastRing;
        try {
            MemorySegment memory = directory.create(owner, ring, RingLayout.FILE_BYTES, arena);
            new Hello(directory.namespace(), path.source(), path.destination(), port, ring, owner).send(connection);
            PeerSegments theirs = new PeerSegments(directory, entry.owner());
            ShmChannel channel = new ShmChannel(
                    path, port, ring, connection, arena, memory, segments, share, theirs, system, counters, this::wake);
            add(channel);
            knocker.visit(channel.door());
            return channel;
        } catch (IOException | RuntimeException e) {
            Reception.close(connection);
            arena.close();
            directory.delete(owner, ring);
            throw e;
        }
    }

    @Override
    public void welcome(SocketChannel connection, Hello hello) {
        ShmPath path = new ShmPath(hello.to(), hello.from(), hello.port());
        Arena arena = Arena.ofShared();
        try {
            if (hello.namespace() != directory.namespace() || !addresses.contains(hello.to())) {
                throw new IOException("from another network, or for somebody else");
            }
            MemorySegment memory = directory.take(hello.owner(), hello.ring(), RingLayout.FILE_BYTES, arena);
            PeerSegments theirs = new PeerSegments(directory, hello.owner());
            ShmChannel channel = new ShmChannel(
                    path,
                    port,
                    ShmChannel.OF_PEER,
                    connection,
                    arena,
                    memory,
                    segments,
                    share,
                    theirs,
                    system,
                    counters,
                    this::wake);
            channel.answer();
            add(channel);
            forgetDestinationsWithoutChannel();
        } catch (IOException e) {
            LOGGER.log(Level.DEBUG, "a peer of " + path.destination() + " was not let in", e);
            Reception.close(connection);
            arena.close();
        }
    }

    @Override
    public void lookedIn() {
        forgetDestinationsWithoutChannel();
    }

    /** A new process may serve them. Destinations with a channel stay known: notes go only to those, and the next message may be a note. */
    private void forgetDestinationsWithoutChannel() {
        peers.clear();
        for (ShmChannel channel : channels) {
            ShmPath path = channel.path();
            if (peers.find(path.source(), path.destination(), path.port()) == null) {
                peers.put(new Peer(path, channel));
            }
        }
    }

    /** Notes of all peers are for {@code next} from now on. */
    void notesTo(@Nullable NoteReceiver next) {
        noteReceiver = next;
        for (ShmChannel channel : channels) {
            channel.notesTo(next);
        }
    }

    /** Says to all peers whether there may be notes now. */
    void welcomeNotes() {
        for (ShmChannel channel : channels) {
            channel.welcomeNotes(noteReceiver);
        }
    }

    private void add(ShmChannel channel) {
        channel.notesTo(noteReceiver);
        channel.mapAhead();
        ShmChannel[] more = Arrays.copyOf(channels, channels.length + 1);
        more[channels.length] = channel;
        channels = more;
        counters.channels++;
        // Who has fallen asleep meanwhile has not seen this one.
        VarHandle.fullFence();
        if (asleep) {
            channel.in().asleep(true);
        }
    }

    /** Wakes the peer at the end of a channel. */
    void wake(ShmChannel channel) {
        counters.wakeUps++;
        knocker.wake(channel.door());
    }

    /** Frees the packets that peers have read. */
    void reap() {
        for (ShmChannel channel : channels) {
            channel.out().reap();
        }
    }

    /** Looks after all channels. */
    void attend() {
        for (ShmChannel channel : channels) {
            if (channel.isOver()) {
                end(channel);
            } else {
                channel.out().reap();
                channel.release();
                channel.welcomeNotes(noteReceiver);
                if (channel.isKnockDue()) {
                    knocker.visit(channel.door());
                }
            }
        }
        for (OwnSegments.Segment gone = segments.findGone(); gone != null; gone = segments.findGone()) {
            segments.remove(gone);
            for (ShmChannel channel : channels) {
                channel.out().forget(gone.number());
            }
        }
        synchronized (mapped) {
            ended.removeIf(ShmChannel::unmap);
        }
    }

    @SuppressWarnings("ReferenceEquality") // a channel is itself
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
        channel.close();
        if (!channel.isAnswered()) {
            directory.delete(owner, channel.ring());
        }
        ended.add(channel);
        // Until somebody new looks in, which may be that one again.
        peers.put(new Peer(channel.path(), null));
    }

    boolean fallAsleep() {
        synchronized (mapped) {
            asleep = true;
            for (ShmChannel channel : channels) {
                channel.in().asleep(true);
            }
            // Between the flag and the last look, as the producer has one between the entry and its look at the flag.
            VarHandle.fullFence();
            for (ShmChannel channel : channels) {
                if (!channel.in().isEmpty()) {
                    return false;
                }
            }
            return true;
        }
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
        knocker.close();
    }
}
