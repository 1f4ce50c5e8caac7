package io.rdma4j.net.shm;

import io.rdma4j.base.Gid;
import io.rdma4j.net.NoteReceiver;
import io.rdma4j.net.NoteWay;
import io.rdma4j.net.shm.RingProducer.Result;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Two rings between this process and another one, and the connection whose end is the peer's. For the owner of the loop. */
final class ShmChannel implements NoteWay {
    /** In place of the number of a file with rings that the peer has made. */
    static final int OF_PEER = 0;

    /** What was on its way when notes were not wanted any more is lost. */
    private static final RingConsumer.NoteSink NOBODY = (_, _, _) -> true;

    /** Rounds after which a peer that does not answer is knocked at once more; after that, after twice as many each. */
    private static final int FIRST_PATIENCE = 2;

    private static final int LONGEST_PATIENCE = 1 << 10;

    /** How long packets may be on their way through the sockets that were sent before both ends had the rings. */
    static final long SETTLED_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ShmPath path;
    private final ShmPath wayBack;
    private final SocketChannel connection;
    private final Arena arena;
    private final RingProducer out;
    private final RingConsumer in;
    private final PeerSegments peerMemory;
    private final ByteBuffer said = ByteBuffer.allocateDirect(Long.BYTES);
    private final int ring;
    private final InetSocketAddress door;
    private final Consumer<ShmChannel> waker;
    private final ShmCounters counters;
    private int rounds;
    private int patience = FIRST_PATIENCE;
    private boolean answered;
    private long answeredNs;
    private boolean isGone;
    private boolean broken;
    private boolean welcomesNotes;

    /** Since when nothing has found room in the ring; 0 while there is room. */
    private long fullSinceNs;

    /**
     * A channel over a connection, by which each has told the other who it is.
     *
     * @param path of what is sent through it
     * @param port UDP port of this end
     * @param arena of {@code memory}, closed with this
     * @param share of the packets that wait for the peers of a device
     * @param system reads other memory of the peer; null for nobody
     * @param waker wakes the peer
     * @param ring number of the file behind the memory, if this end has made it; else {@link #OF_PEER}
     */
    ShmChannel(
            ShmPath path,
            int port,
            int ring,
            SocketChannel connection,
            Arena arena,
            MemorySegment memory,
            OwnSegments ownMemory,
            ReferredShare share,
            PeerSegments peerMemory,
            @Nullable ProcessMemory system,
            ShmCounters counters,
            Consumer<ShmChannel> waker) {
        this.path = path;
        this.waker = waker;
        this.counters = counters;
        this.wayBack = path.back(port);
        this.connection = connection;
        this.arena = arena;
        boolean isOurs = ring != OF_PEER;
        this.ring = ring;
        this.answered = !isOurs;
        this.answeredNs = System.nanoTime();
        this.door = DoorKnocker.door(path.destination(), path.port());
        this.peerMemory = peerMemory;
        MemorySegment first = memory.asSlice(0, RingLayout.RING_BYTES);
        MemorySegment second = memory.asSlice(RingLayout.RING_BYTES, RingLayout.RING_BYTES);
        this.out = new RingProducer(isOurs ? first : second, ownMemory, share);
        this.in = new RingConsumer(isOurs ? second : first, peerMemory, system, counters);
    }

    /** See {@link PeerSegments#mapAhead}. */
    void mapAhead() {
        peerMemory.mapAhead();
    }

    /** Where it leads. */
    ShmPath path() {
        return path;
    }

    /** Number of the file with the rings. */
    int ring() {
        return ring;
    }

    /** Where the peer listens for knocks. */
    InetSocketAddress door() {
        return door;
    }

    RingProducer out() {
        return out;
    }

    RingConsumer in() {
        return in;
    }

    @Override
    public Gid source() {
        return path.source();
    }

    @Override
    public Gid destination() {
        return path.destination();
    }

    @Override
    public MemorySegment memory() {
        return out.memory();
    }

    @Override
    public long lend(MemorySegment source, long offset, int bytes) {
        return out.lend(source, offset, bytes);
    }

    @Override
    public @Nullable MemorySegment lent(long token, int bytes) {
        MemorySegment segment = peerMemory.get((int) (token >>> Long.bitCount(OFFSET_MASK)));
        return segment != null && NoteWay.offset(token) <= segment.byteSize() - bytes ? segment : null;
    }

    @Override
    public long begin(int bytes) {
        return out.beginNote(bytes);
    }

    @Override
    public void send(int bytes) {
        out.endNote(bytes);
        counters.sentNotes++;
    }

    @Override
    public void flush() {
        if (out.mustWake()) {
            waker.accept(this);
        }
        out.makeReady();
    }

    /** Notes from the peer are for {@code receiver}, if it is open; null: there are to be none. */
    void notesTo(@Nullable NoteReceiver receiver) {
        in.notesTo(receiver == null ? NOBODY : (memory, at, bytes) -> receiver.receive(this, memory, at, bytes));
        welcomeNotes(receiver);
    }

    /** Says whether there may be notes now. */
    void welcomeNotes(@Nullable NoteReceiver receiver) {
        boolean open = receiver != null && receiver.isOpen();
        if (open != welcomesNotes) {
            welcomesNotes = open;
            in.takesNotes(open);
        }
    }

    /** Puts a packet into the ring. */
    Result send(SkBuff skb) {
        Result result = out.offer(skb);
        if (result != Result.FULL) {
            fullSinceNs = 0;
        }
        return result;
    }

    /** The ring was full at {@code nowNs}; how long it has been, nanoseconds. */
    long fullForNs(long nowNs) {
        if (fullSinceNs == 0) {
            fullSinceNs = nowNs;
        }
        return nowNs - fullSinceNs;
    }

    /** The next packet, which comes from the peer and is for this end; null if there is none. */
    @Nullable
    SkBuff receive(SkBuffPool pool) {
        SkBuff skb = in.receive(pool);
        if (skb == null) {
            return null;
        }
        if (!wayBack.isOf(skb)) {
            broken = true;
            skb.free();
            return null;
        }
        skb.protocol(wayBack.etherType());
        return skb;
    }

    /** True if the peer has mapped the rings. */
    boolean isAnswered() {
        return answered;
    }

    /**
     * True if all packets of the peer come through the ring: what comes by the socket with the peer's address is from another process. It
     * was sent before the peer had the ring if it comes soon.
     */
    boolean isPrivate() {
        return answered && !in.isSocketUsed() && System.nanoTime() - answeredNs > SETTLED_NS;
    }

    /**
     * Tells the peer that the rings are mapped here.
     *
     * @throws IOException if it is gone
     */
    void answer() throws IOException {
        connection.write(ByteBuffer.allocate(1));
    }

    /** True if the peer is gone, or has broken the rules. */
    boolean isOver() {
        try {
            int bytes = connection.read(said.clear());
            if (bytes > 0) {
                answered = true;
                answeredNs = System.nanoTime();
                bytes = connection.read(said.clear());
            }
            isGone = bytes < 0;
        } catch (IOException e) {
            isGone = true;
        }
        return isGone || isCutOff();
    }

    /** True if the peer has broken the rules. */
    boolean isCutOff() {
        return broken || in.isBroken() || out.isBroken();
    }

    /** Once a round: true if it is time to knock at a peer that does not answer. */
    boolean isKnockDue() {
        if (answered || ++rounds < patience) {
            return false;
        }
        rounds = 0;
        patience = Math.min(2 * patience, LONGEST_PATIENCE);
        return true;
    }

    /** Lets go of memory of the peer that it does not have any more. */
    void release() {
        if (in.heldCount() == 0) {
            peerMemory.release();
        }
    }

    int takeBack(Predicate<? super SkBuff> condition) {
        return out.takeBack(condition);
    }

    /** Ends the connection: the peer notices. What waits for the peer to read it is freed. */
    void close() {
        out.takeBack(_ -> true);
        try {
            connection.close();
        } catch (IOException e) {
            // It is of no use any more, closed or not.
        }
    }

    /** Gives the memory back, if no buffer points into it any more; false: later. */
    boolean unmap() {
        if (in.heldCount() > 0) {
            return false;
        }
        peerMemory.close();
        arena.close();
        return true;
    }
}
