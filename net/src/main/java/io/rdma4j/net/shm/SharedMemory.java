package io.rdma4j.net.shm;

import io.rdma4j.base.Gid;
import io.rdma4j.net.FeatureSet;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceFeature;
import io.rdma4j.net.NetdevTx;
import io.rdma4j.net.NoteReceiver;
import io.rdma4j.net.NoteWay;
import io.rdma4j.net.shm.RingProducer.Result;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Ipv6;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The way of a UDP driver to other processes of this user on this machine, past its sockets. The driver asks {@link #transmit} before it
 * sends a packet, {@link #receive} before it looks at its sockets, and says when it sleeps; it hands over the datagrams by which peers knock ({@link #onKnock}).
 *
 * <p>Only packets that are yet to be finished go this way, whole and without checksum: those of RoCE that this library has made. A peer
 * whose ring stays full is treated as a network that loses packets. A channel that ends, because its peer was killed or
 * misbehaved, makes no noise: what follows goes by the socket again.
 *
 * <p>Belongs to the owner of the device's loop, but for what says otherwise. Allocates nothing but when a peer is met, and when it is left.
 */
public final class SharedMemory {
    /** What a device does for packets that go this way. */
    public static final FeatureSet FEATURES = FeatureSet.of(
            NetDeviceFeature.SG,
            NetDeviceFeature.HIGHDMA,
            NetDeviceFeature.FRAGLIST,
            NetDeviceFeature.HW_CSUM,
            NetDeviceFeature.GSO);

    /** Bytes of the longest train with its headers. */
    public static final int LONGEST_TRAIN = RingLayout.MAX_REFERRED_BYTES + RingConsumer.MAX_HEADER_BYTES;

    /**
     * Eight of the longest trains, since a train is at most an eighth of a burst ({@link io.rdma4j.net.NetDeviceOps#burstBytes}). While a peer reads one
     * train it should find the next one, and its sender should hear that the one before was read; and a peer that answers READs may
     * have to be woken, which takes as long as two trains.
     */
    private static final int BURST_BYTES = 8 * RingLayout.MAX_REFERRED_BYTES;

    private static final System.Logger LOGGER = System.getLogger(SharedMemory.class.getName());

    /** Buffers for what is received: those that receivers hold on to, from all peers. */
    private static final int BUFFERS = 1024;

    /** A ring that is full for longer is that of a process that does not run: its packets are lost, so that others get theirs. */
    static final long LONGEST_FULL_NS = TimeUnit.MILLISECONDS.toNanos(2);

    /** While packets come by the rings the sockets, which cost a system call, are looked at once in so many polls. */
    private static final int POLLS_PER_SOCKET_TURN = 32;

    /** After so many polls in vain there is no hurry any more. */
    private static final int POLLS_OF_A_BUSY_RING = 1024;

    /** In so many polls in vain the state of the channels is looked at once. */
    private static final int POLLS_PER_ROUND = 4096;

    /** In so many packets it is looked once whether they might be notes. */
    private static final int PACKETS_PER_LOOK = 256;

    /** Visits that are dealt with in each interval; what comes beyond that waits for the next one. */
    static final int VISITS_PER_INTERVAL = 8;

    static final long VISIT_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The polls in which packets that peers have read come back, if they are not wanted before. */
    private static final int POLLS_PER_REAP = 16;

    private final long owner = new SecureRandom().nextLong() >>> 1;
    private final Reception reception;
    private final OwnSegments segments;
    private final ShmChannels channels;
    private final ShmCounters counters = new ShmCounters();
    private final MachineAddresses machine = new MachineAddresses();
    private final SkBuffPool pool = new SkBuffPool(BUFFERS, RingConsumer.BLOCK_BYTES);
    private int turn;
    private int idlePolls;
    private int packetsToLook;
    private volatile boolean slept;

    /** A visit waits, because there were too many just before. */
    private volatile boolean visited;

    private int visitsLeft = VISITS_PER_INTERVAL;
    private long visitsSinceNs = System.nanoTime();

    private SharedMemory(ShmDirectory directory, List<Gid> addresses, int port, @Nullable ProcessMemory system)
            throws IOException {
        this.segments = new OwnSegments(directory, owner);
        this.reception = Reception.open(directory, addresses, port, owner);
        this.channels = new ShmChannels(directory, segments, addresses, port, owner, system, counters);
    }

    /**
     * Serves the addresses of a UDP driver.
     *
     * @param addresses to which the driver's sockets are bound
     * @param port to which they are bound
     * @param system reads the memory of peers; null for nobody: then what lies elsewhere than in {@link #allocate shared memory} is copied twice
     * @return null if this system has no shared memory for the like of us
     */
    public static @Nullable SharedMemory open(List<Gid> addresses, int port, @Nullable ProcessMemory system) {
        try {
            return open(ShmDirectory.open(), addresses, port, system);
        } catch (IOException | UnsupportedOperationException e) {
            LOGGER.log(Level.DEBUG, "no shared memory: packets to other processes of this machine go by sockets", e);
            return null;
        }
    }

    /** The same in a directory of the caller's choice. */
    static SharedMemory open(ShmDirectory directory, List<Gid> addresses, int port, @Nullable ProcessMemory system)
            throws IOException {
        SharedMemory opened = new SharedMemory(directory, addresses, port, system);
        opened.channels.announce();
        return opened;
    }

    /**
     * {@return memory that the processes of this user on this machine can read where it is, filled with zeros;
     * elsewhere it is like any other} Ordinary memory if there is no room for it. Any thread.
     *
     * @param bytes at least 1
     * @param alignment a power of two, bytes
     * @param arena whose end is that of the memory
     */
    public MemorySegment allocate(long bytes, long alignment, Arena arena) {
        try {
            return segments.allocate(bytes, alignment, arena);
        } catch (IOException e) {
            LOGGER.log(Level.DEBUG, "no room in shared memory for " + bytes + " bytes: they are the process's own", e);
            return arena.allocate(bytes, alignment);
        }
    }

    // Sending

    /**
     * {@return true if a packet goes this way: trains need not be cut for it}
     *
     * @param skb begins with its IP header
     */
    public boolean carries(SkBuff skb) {
        return channels.to(skb) != null;
    }

    /**
     * {@return bytes that may be under way at once, as {@link io.rdma4j.net.NetDeviceOps#burstBytes} has it; 0 if packets do not
     * go this way, or are cut before}
     *
     * @param source address that they come from
     * @param destination address that they go to
     * @param port UDP port that they go to
     * @param device that sends them
     */
    public int burstBytes(Gid source, Gid destination, int port, NetDevice device) {
        boolean whole = device.features().gsoMaxSize() >= LONGEST_TRAIN
                && device.features().active().hasAll(FEATURES);
        return whole && channels.between(source, destination, port) != null ? BURST_BYTES : 0;
    }

    /**
     * Packets will go to a destination soon: if it is a process of this machine, it is asked for a ring now.
     *
     * @param source address that they will come from
     * @param destination address that they will go to
     * @param port UDP port that they will go to
     */
    public void expect(Gid source, Gid destination, int port) {
        channels.expect(new ShmPath(source, destination, port));
    }

    /**
     * {@return a way for notes to a peer that takes them; null if there is none}
     *
     * @param source address that packets come from
     * @param destination address that they go to
     * @param port UDP port that they go to
     */
    public @Nullable NoteWay noteWay(Gid source, Gid destination, int port) {
        ShmChannel channel = channels.between(source, destination, port);
        return channel != null && channel.out().takesNotes() ? channel : null;
    }

    /**
     * {@return true if all packets of a peer come this way, so that one that comes by a socket with its address is from another process}
     *
     * @param source address of this end
     * @param destination address of the peer
     * @param port UDP port of the peer
     */
    public boolean isPrivate(Gid source, Gid destination, int port) {
        return channels.arePrivate(source, destination, port);
    }

    /**
     * Peers may send notes from now on.
     *
     * @param receiver takes them; null for nobody
     */
    public void noteReceiver(@Nullable NoteReceiver receiver) {
        channels.notesTo(receiver);
    }

    /**
     * {@return true if a peer reads the payload of a packet where it lies}
     *
     * @param skb stays the caller's
     * @param source address that it comes from
     * @param destination address that it goes to
     * @param port UDP port that it goes to
     */
    public boolean readsInPlace(SkBuff skb, Gid source, Gid destination, int port) {
        ShmChannel channel = channels.between(source, destination, port);
        return channel != null && channel.out().readsInPlace(skb);
    }

    /**
     * Sends a packet that begins with its IP header, if it goes this way.
     *
     * @param skb begins with its IP header
     * @param device that sends it
     * @return null if it does not; BUSY if the peer has no room, and the packet was not touched
     */
    public @Nullable NetdevTx transmit(SkBuff skb, NetDevice device) {
        ShmChannel channel = channels.to(skb);
        if (channel == null) {
            channels.usesSocket(skb);
            return null;
        }
        Result result = channel.send(skb);
        if (result == Result.FULL || result == Result.LOST) {
            return refuse(skb, device, channel, result);
        }
        int packets = skb.isGso() ? skb.gsoSegs() : 1;
        counters.sentPackets += packets;
        device.timestamps().transmitting(skb);
        device.stats().countTransmitted(packets, skb.len());
        if (result == Result.COPIED) {
            skb.free();
        } else if (result == Result.LENT) {
            counters.sentOfProcess++;
        } else {
            counters.sentReferences++;
        }
        channel.flush();
        return NetdevTx.OK;
    }

    private NetdevTx refuse(SkBuff skb, NetDevice device, ShmChannel channel, Result result) {
        if (result == Result.FULL) {
            counters.full++;
            if (channel.fullForNs(device.timestamps().nowNs()) < LONGEST_FULL_NS) {
                return NetdevTx.BUSY;
            }
        }
        counters.sentLost++;
        device.stats().countTransmitError();
        skb.free();
        return NetdevTx.OK;
    }

    /**
     * Drops what peers have not read yet and {@code condition} holds of.
     *
     * @param condition asked of each; changes nothing
     * @return how many there were
     */
    public int dropWaiting(Predicate<? super SkBuff> condition) {
        int dropped = 0;
        for (ShmChannel channel : channels.all()) {
            dropped += channel.takeBack(condition);
        }
        return dropped;
    }

    // Receiving

    /**
     * {@return the next packet, which begins with its IP header; null if there is none: {@link #isSocketTurn} then says
     * what to do}
     */
    public @Nullable SkBuff receive() {
        ShmChannel[] all = channels.all();
        for (int left = all.length; left > 0; left--) {
            turn = turn < all.length ? turn : 0;
            RingConsumer in = all[turn].in();
            long notesBefore = in.notes();
            SkBuff skb = all[turn].receive(pool);
            if (in.notes() != notesBefore) {
                counters.receivedNotes += in.notes() - notesBefore;
                idlePolls = 0;
            }
            if (skb != null) {
                lookNowAndThen();
                counters.receivedPackets += skb.isGso() ? skb.gsoSegs() : 1;
                idlePolls = 0;
                return skb;
            }
            turn++;
        }
        return null;
    }

    /** Packets may come without a pause, because notes were not welcome for a while. */
    private void lookNowAndThen() {
        if (--packetsToLook < 0) {
            packetsToLook = PACKETS_PER_LOOK;
            channels.welcomeNotes();
        }
    }

    /**
     * Asked after {@link #receive} has found nothing.
     *
     * @return true if the sockets are to be looked at
     */
    public boolean isSocketTurn() {
        if (++idlePolls < 0) {
            idlePolls = POLLS_OF_A_BUSY_RING;
        }
        if (visited) {
            attendVisitors();
        }
        if (slept) {
            slept = false;
            idlePolls = POLLS_OF_A_BUSY_RING;
            channels.attend();
        } else if ((idlePolls & POLLS_PER_ROUND - 1) == 0) {
            channels.attend();
        } else if ((idlePolls & POLLS_PER_REAP - 1) == 0) {
            channels.reap();
        }
        return idlePolls >= POLLS_OF_A_BUSY_RING || (idlePolls & POLLS_PER_SOCKET_TURN - 1) == 0 || channels.isEmpty();
    }

    /**
     * {@return true for a datagram that is none of RoCE but a peer's knock, which the driver hands over to
     * {@link #onKnock}}
     *
     * @param payloadBytes of the datagram
     */
    public static boolean isKnock(int payloadBytes) {
        return payloadBytes <= DoorKnocker.VISIT_BYTES;
    }

    /**
     * A peer knocked: it has put something into a ring while this end slept, or is at the door. A datagram of another machine counts for nothing.
     *
     * @param skb begins with its IP header; freed here
     * @param payloadBytes of the datagram
     */
    public void onKnock(SkBuff skb, int payloadBytes) {
        // Only a visit is worth a look at the door: asking there makes an object even if nobody has come.
        boolean isVisit = payloadBytes == DoorKnocker.VISIT_BYTES && isFromHere(skb);
        skb.free();
        if (isVisit) {
            visited = true;
            attendVisitors();
        }
    }

    private boolean isFromHere(SkBuff skb) {
        MemorySegment memory = skb.memory();
        int at = skb.data();
        return Ipv4.version(memory, at) == Ipv4.VERSION
                ? machine.contains(0, ShmPath.mapped(Ipv4.source(memory, at)))
                : machine.contains(Ipv6.sourcePrefix(memory, at), Ipv6.sourceInterfaceId(memory, at));
    }

    /** Accepts connections, which costs several system calls: only so often, since a visit is a datagram that any process can send. */
    private void attendVisitors() {
        long nowNs = System.nanoTime();
        if (nowNs - visitsSinceNs >= VISIT_INTERVAL_NS) {
            visitsSinceNs = nowNs;
            visitsLeft = VISITS_PER_INTERVAL;
        }
        if (visitsLeft > 0) {
            visitsLeft--;
            visited = false;
            counters.visits++;
            reception.attend(channels);
            channels.attend();
        }
    }

    // Sleeping

    /**
     * {@return the calling thread, which need not be the owner of the loop, is about to sleep; false if it must not,
     * because something is there}
     */
    public boolean fallAsleep() {
        return channels.fallAsleep() && !visited;
    }

    /** It does not sleep any more. */
    public void wakeUp() {
        channels.wakeUp();
        slept = true;
    }

    /**
     * Adds to the statistics of the driver.
     *
     * @param statistics in the order in which they are shown
     */
    public void addTo(SequencedMap<String, Long> statistics) {
        counters.addTo(statistics);
    }

    /** All peers are left, and nothing of this end stays in the directory. No buffer of {@link #receive} is in use any more. */
    public void close() {
        reception.close();
        channels.close();
        segments.close();
        pool.close();
    }
}
