// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import io.rdma4j.base.Gid;
import io.rdma4j.base.local.LocalChannel;
import io.rdma4j.base.local.LocalReceiver;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.shm.RingProducer.Result;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The path of a UDP driver to other processes of this user on this machine, without its sockets. The driver calls
 * {@link #transmit} before it sends a packet and {@link #receive} before it polls its sockets. It also reports when it
 * sleeps, and passes on wake-up datagrams ({@link #onWakeup}).
 *
 * <p>Only packets with an offload use shared memory, uncut and without checksum: RoCE packets that this library has
 * made. A peer whose ring stays full is treated like a network that loses packets. If a channel ends because its peer
 * was killed or violated the format, later packets use the socket again.
 *
 * <p>For the owner of the device's loop, unless a method states otherwise. Allocates only when a channel is created or
 * ended.
 */
public final class ShmTransport {
    /** Features that a device provides for packets in shared memory. */
    public static final FeatureSet FEATURES = FeatureSet.of(
            NetDeviceFeature.SG,
            NetDeviceFeature.HIGHDMA,
            NetDeviceFeature.FRAGLIST,
            NetDeviceFeature.HW_CSUM,
            NetDeviceFeature.GSO);

    /** Size of the longest train with its headers, bytes. */
    public static final int LONGEST_TRAIN = RingLayout.MAX_REFERRED_BYTES + RingConsumer.MAX_HEADER_BYTES;

    /**
     * Eight of the longest trains, because a train is at most an eighth of a burst ({@link
     * #burstBytes}). While a peer reads one train, the next one should be available, and the
     * sender should learn that the one before was read. A peer that answers READs may need a wake-up, which takes as
     * long as two trains.
     */
    private static final int BURST_BYTES = 8 * RingLayout.MAX_REFERRED_BYTES;

    private static final System.Logger LOGGER = System.getLogger(ShmTransport.class.getName());

    /** Number of receive buffers for packets from all peers that the receivers have not freed. */
    private static final int BUFFERS = 1024;

    /**
     * Maximum time for which a full ring delays packets, ns. After it the peer's process is assumed not to run, and its
     * packets are dropped, so that packets to other peers are sent.
     */
    static final long LONGEST_FULL_NS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Polls of busy rings between two polls of the sockets, which cost a system call. */
    private static final int POLLS_PER_SOCKET_TURN = 16;

    /** Number of empty polls after which the sockets are polled every time. */
    private static final int POLLS_OF_A_BUSY_RING = 1024;

    /** Empty polls between two checks of the channels' state. */
    private static final int POLLS_PER_ROUND = 4096;

    /** Received packets between two updates of whether peers may send local messages. */
    private static final int PACKETS_PER_LOOK = 256;

    /**
     * Maximum number of connection requests handled per {@link #VISIT_INTERVAL_NS}. Further ones wait for the next
     * interval.
     */
    static final int VISITS_PER_INTERVAL = 8;

    static final long VISIT_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /**
     * Empty polls between two calls that free the packets that peers have read, unless the sender needs them earlier.
     */
    private static final int POLLS_PER_REAP = 8;

    private final ShmEnd end;
    private final ShmCounters counters;
    private final Acceptor acceptor;
    private final ShmChannels channels;
    private final OwnKeys keys;
    private final MachineAddresses machine = new MachineAddresses();
    private final SkBuffPool pool = new SkBuffPool(BUFFERS, RingConsumer.BLOCK_BYTES);
    private int turn;
    private int idlePolls;
    private int packetsToLook;
    private volatile boolean slept;

    /** A connection request waits, because the limit of this interval is reached. */
    private volatile boolean visited;

    private int visitsLeft = VISITS_PER_INTERVAL;
    private long visitsSinceNs = System.nanoTime();

    private ShmTransport(ShmEnd end, List<Gid> addresses) throws IOException {
        this.end = end;
        this.counters = end.counters();
        this.acceptor = Acceptor.open(end, addresses);
        this.channels = new ShmChannels(end, addresses);
        this.keys = new OwnKeys(end);
    }

    /**
     * Opens shared memory for the addresses of a UDP driver.
     *
     * @param addresses to which the driver's sockets are bound
     * @param port to which they are bound
     * @param system reads the memory of peers; null: payload outside {@link #allocate shared memory} is copied twice
     * @return null if the system does not support it
     */
    public static @Nullable ShmTransport open(List<Gid> addresses, int port, @Nullable ProcessMemory system) {
        try {
            return open(ShmDirectory.open(), addresses, port, system);
        } catch (IOException | UnsupportedOperationException e) {
            LOGGER.log(Level.DEBUG, "no shared memory: packets to other processes of this machine go by sockets", e);
            return null;
        }
    }

    /**
     * Follows the addresses of the driver's sockets. Channels of addresses that are gone stay until their peers close
     * them.
     *
     * @param addresses to which the driver's sockets are bound now
     */
    public void follow(List<Gid> addresses) {
        try {
            acceptor.follow(addresses);
            channels.follow(addresses);
            channels.announce();
        } catch (IOException e) {
            LOGGER.log(Level.DEBUG, "no shared memory at a new address: its packets go by sockets", e);
        }
    }

    /** Opens shared memory in a directory of the caller's choice. */
    static ShmTransport open(ShmDirectory directory, List<Gid> addresses, int port, @Nullable ProcessMemory system)
            throws IOException {
        ShmTransport opened = new ShmTransport(ShmEnd.of(directory, port, system), addresses);
        opened.channels.announce();
        return opened;
    }

    /**
     * {@return memory filled with zeros that the processes of this user on this machine can read in place} Returns
     * ordinary memory if shared memory is full. Any thread.
     *
     * @param bytes at least 1
     * @param alignment a power of two, bytes
     * @param arena that frees the memory when it is closed
     */
    public MemorySegment allocate(long bytes, long alignment, Arena arena) {
        try {
            return end.segments().allocate(bytes, alignment, arena);
        } catch (IOException e) {
            LOGGER.log(Level.DEBUG, "no room in shared memory for " + bytes + " bytes: they are the process's own", e);
            return arena.allocate(bytes, alignment);
        }
    }

    /**
     * Permits peers to store into memory from {@link #allocate}, instead of messages that this process executes.
     * Nothing happens for other memory. Any thread.
     *
     * @param domain number of the protection domain of queue pairs whose peers may do so; not 0
     * @param rkey key of the memory
     * @param memory the region
     * @param iova address of its first byte in work requests
     */
    public void publish(int domain, int rkey, MemorySegment memory, long iova) {
        keys.publish(domain, rkey, memory, iova);
    }

    /**
     * Ends what {@link #publish} permits. The caller then waits for the peers that store. Any thread.
     *
     * @param rkey key of the memory
     */
    public void withdraw(int rkey) {
        keys.withdraw(rkey);
    }

    // Sending

    /**
     * {@return true if shared memory carries a packet, so that trains need not be cut for it}
     *
     * @param skb begins with its IP header
     */
    public boolean carries(SkBuff skb) {
        return channels.to(skb) != null;
    }

    /**
     * {@return maximum number of bytes in flight to a peer that reads packets in place ({@link #readsInPlace}); 0 for a
     * destination without channel, or if the device cuts trains} A train may have up to an eighth of it.
     *
     * @param source source address of the packets
     * @param destination destination address of the packets
     * @param port destination UDP port
     * @param device the driver's device
     */
    public int burstBytes(Gid source, Gid destination, int port, NetDevice device) {
        boolean whole = device.features().gsoMaxSize() >= LONGEST_TRAIN
                && device.features().active().hasAll(FEATURES);
        return whole && channels.between(source, destination, port) != null ? BURST_BYTES : 0;
    }

    /**
     * Looks up whether a destination is a process on this machine, and begins to connect, before the first packet. May
     * allocate and access the file system.
     *
     * @param source source address of the packets
     * @param destination destination address of the packets
     * @param port destination UDP port
     */
    public void resolve(Gid source, Gid destination, int port) {
        channels.resolve(new ShmPath(source, destination, port));
    }

    /**
     * {@return the channel to a destination; null while there is none, or while it takes no messages}
     *
     * @param source source address of the packets
     * @param destination destination address of the packets
     * @param port destination UDP port
     */
    public @Nullable LocalChannel channel(Gid source, Gid destination, int port) {
        ShmChannel channel = channels.between(source, destination, port);
        return channel != null && channel.out().acceptsMessages() ? channel : null;
    }

    /**
     * {@return true if all packets of a peer arrive through its channel, so that a packet from a socket is not from it}
     *
     * @param source source address of the packets
     * @param destination destination address of the packets
     * @param port destination UDP port
     */
    public boolean isPrivate(Gid source, Gid destination, int port) {
        return channels.arePrivate(source, destination, port);
    }

    /**
     * Counts messages of queue pairs that went through link rings, for the statistics.
     *
     * @param sent number of sent ones
     * @param stored number of sent ones whose payload this process has stored into memory of the peer
     * @param received number of received ones
     */
    public void countLinkMessages(long sent, long stored, long received) {
        counters.sentMessages += sent;
        counters.storedMessages += stored;
        counters.receivedMessages += received;
    }

    /**
     * Sets the receiver of local messages.
     *
     * @param receiver null for none
     */
    public void receiver(@Nullable LocalReceiver receiver) {
        channels.channelTo(receiver);
    }

    /**
     * {@return true if a peer reads the payload of this packet in place: all of it is in memory from {@link #allocate},
     * or anywhere if the peer can read this process's memory} Allocates nothing.
     *
     * @param skb the packet; the caller keeps it
     * @param source source address of the packets
     * @param destination destination address of the packets
     * @param port destination UDP port
     */
    public boolean readsInPlace(SkBuff skb, Gid source, Gid destination, int port) {
        ShmChannel channel = channels.between(source, destination, port);
        return channel != null && channel.out().readsInPlace(skb);
    }

    /**
     * Sends a packet through shared memory, if its destination has a channel.
     *
     * @param skb begins with its IP header
     * @param device that sends it
     * @return null if there is no channel; BUSY if the peer's ring has no room. In both cases the packet was not
     *     touched.
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
        int packets = skb.shinfo().isGso() ? skb.shinfo().gsoSegs() : 1;
        counters.sentPackets += packets;
        device.timestamps().transmitting(skb);
        device.stats().countTransmitted(packets, skb.len());
        if (result == Result.COPIED) {
            skb.free();
        } else if (result == Result.REFERENCED) {
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
     * Drops the packets that peers have not read and that match {@code condition}.
     *
     * @param condition called for each; changes nothing
     * @return number of dropped packets
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
     * {@return the next packet, which begins with its IP header; null if there is none: then the driver calls {@link
     * #isSocketTurn}}
     */
    public @Nullable SkBuff receive() {
        ShmChannel[] all = channels.all();
        for (int left = all.length; left > 0; left--) {
            turn = turn < all.length ? turn : 0;
            RingConsumer in = all[turn].in();
            long messagesBefore = in.messages();
            SkBuff skb = all[turn].receive(pool);
            if (in.messages() != messagesBefore) {
                idlePolls = 0;
            }
            if (skb != null) {
                lookNowAndThen();
                counters.receivedPackets += skb.shinfo().isGso() ? skb.shinfo().gsoSegs() : 1;
                idlePolls = 0;
                return skb;
            }
            turn++;
        }
        return null;
    }

    /**
     * Updates at intervals whether peers may send local messages. {@link #isSocketTurn}, which also does so, is not
     * called while packets arrive without a pause.
     */
    private void lookNowAndThen() {
        if (--packetsToLook < 0) {
            packetsToLook = PACKETS_PER_LOOK;
            channels.acceptMessages();
        }
    }

    /**
     * {@return true if there are rings, and {@link #receive} would find nothing in them} Any thread; a hint. Only reads
     * memory.
     */
    public boolean isQuiet() {
        return !visited && !slept && channels.areQuiet();
    }

    /**
     * Decides whether the driver polls its sockets. The driver calls this after {@link #receive} has returned null.
     *
     * @return true if the driver must poll its sockets
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
     * {@return true for a wake-up datagram, which the driver passes to {@link #onWakeup}}
     *
     * @param payloadBytes of the datagram
     */
    public static boolean isWakeup(int payloadBytes) {
        return payloadBytes <= WakeupSender.VISIT_BYTES;
    }

    /**
     * Handles a wake-up datagram: a peer has written to a ring while this end slept, or requests a connection.
     * Datagrams from other machines are ignored.
     *
     * @param skb begins with its IP header; this method frees it
     * @param payloadBytes of the datagram
     */
    public void onWakeup(SkBuff skb, int payloadBytes) {
        // Accepting connections allocates even if none waits, so only a connection request triggers it.
        boolean isVisit = payloadBytes == WakeupSender.VISIT_BYTES && isFromHere(skb);
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

    /**
     * Accepts connections. This takes several system calls, and any process can send the datagram that requests it, so
     * the rate is limited.
     */
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
            acceptor.attend(channels);
            channels.attend();
        }
    }

    // Sleeping

    /**
     * {@return true if the calling thread may sleep; false if data are already available} Sets the sleep flags of all
     * rings. Any thread.
     */
    public boolean fallAsleep() {
        return channels.fallAsleep() && !visited;
    }

    /** Clears the sleep flags of all rings. */
    public void wakeUp() {
        channels.wakeUp();
        slept = true;
    }

    /**
     * Adds the counters of shared memory to a driver's statistics.
     *
     * @param statistics in the order in which they are shown
     */
    public void addTo(SequencedMap<String, Long> statistics) {
        counters.addTo(statistics);
    }

    /**
     * Closes all channels and deletes this process's files in the directory. The caller ensures that no buffer of
     * {@link #receive} is in use.
     */
    public void close() {
        acceptor.close();
        channels.close();
        end.segments().close();
        keys.close();
        pool.close();
    }
}
