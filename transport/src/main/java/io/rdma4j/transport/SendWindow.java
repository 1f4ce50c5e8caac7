package io.rdma4j.transport;

import io.rdma4j.base.Psn;
import io.rdma4j.verbs.queue.Ring;
import io.rdma4j.verbs.queue.SendQueue;
import java.lang.foreign.MemorySegment;

/**
 * Which send requests are under way and which packet sequence numbers they own: what {@link Requester} and
 * {@link Completer} share.
 *
 * <pre>
 *   slots   … oldest ─────── current ─────── unstarted ─────── producer …
 *             │ acknowledgement awaited      │ no PSNs yet
 *   PSNs    … unackedPsn ──── psn ──────────── topPsn …
 *                             │ next to send   │ one after the highest ever sent
 * </pre>
 *
 * <p>{@code current} and {@code psn} go back on a retry, the others never do. Slots are those of the send ring, each
 * owning the closed range {@code firstPsn .. lastPsn}, without gaps from one to the next.
 *
 * <p>Packets that the peer reads where they lie ({@link QpPort#burstBytes}) fill nobody's buffer: they have a bound of their own, and count
 * for nothing in that of the others behind them. Losses make both smaller alike.
 */
final class SendWindow {
    /**
     * Unacknowledged packets allowed. Linux rxe allows 128 whatever their size; here their bytes are bounded too, because
     * the peer may be an ordinary socket whose receive buffer (208 KiB by Linux's default, doubled when asked for) must
     * hold them all with the kernel's own overhead: about a packet's size, and some 500 bytes for the shortest.
     */
    private static final int MAX_UNACKED_PSNS = 128;

    private static final int MAX_UNACKED_BYTES = 192 << 10;

    /** Of packets up to this size, if they are whole messages, twice as many: 128 are two system calls, too few to keep both ends busy. */
    private static final int SMALL_BYTES = 512;

    private static final int MAX_UNACKED_SMALL_PSNS = 2 * MAX_UNACKED_PSNS;

    /** Losses never leave less than this. */
    private static final int MIN_UNACKED_PSNS = 4;

    private static final int GROWTH_SHARE = 8;

    private final Ring ring;

    /** By slot; made when the first request is begun, because a queue pair that only receives needs none. */
    private int[] firstPsns = {};

    private int[] lastPsns = {};
    private long[] lengths = {};
    private int[] numbers = {};

    /** Up to where requests were posted when the ring was looked at last. */
    private int posted;

    private int oldest;
    private int current;
    private int unstarted;
    private int psn;
    private int unackedPsn;
    private int topPsn;

    /** Those before it are acknowledged, or read in place. */
    private int countedPsn;

    /** When all before it are acknowledged, the last loss is overcome. */
    private int recoveredPsn;

    private int mtuBytes;

    /** The largest packet that may be under way, and the last one of that size. */
    private int packetBytes;

    private int largestPsn;

    /** The bound for packets of that size, and the bound that losses have left of it, in packets. */
    private int mostPackets;

    private int packets;
    private int growth;
    private int messages;

    /** Only what the peer lacks for sure is sent, until it has said what more it lacks. */
    private boolean probing;

    private int probePackets;
    private int probeEnd;

    /** Begins with the oldest request that is posted. */
    SendWindow(SendQueue queue) {
        this.ring = queue.ring();
        this.oldest = ring.distance(ring.ownConsumer(), 0);
        this.current = oldest;
        this.posted = oldest;
        this.unstarted = oldest;
    }

    /** A packet is missing: one loss, if others that were under way at the same time are missing, too. */
    void onGap() {
        if (!Psn.isBefore(unackedPsn, recoveredPsn)) {
            onLoss();
        }
    }

    /** Packets were lost: less is sent at once, so that whatever was too slow for them catches up. */
    void onLoss() {
        recoveredPsn = topPsn;
        packets = Math.max(Math.min(MIN_UNACKED_PSNS, mostPackets), packets / 2);
        growth = 0;
    }

    /** Packets were acknowledged: after each windowful the window opens by an eighth. */
    private void onProgress(int count) {
        growth += count;
        if (growth >= packets && packets < mostPackets) {
            growth = 0;
            packets = Math.min(mostPackets, packets + Math.max(1, packets / GROWTH_SHARE));
        }
    }

    /** Sets the first PSN to send; there is nothing under way. */
    void startAt(int firstPsn) {
        psn = firstPsn;
        unackedPsn = firstPsn;
        topPsn = firstPsn;
        countedPsn = firstPsn;
        recoveredPsn = firstPsn;
        largestPsn = Psn.add(firstPsn, -1);
        messages = 0;
    }

    void pathMtu(int bytes) {
        mtuBytes = bytes;
        packetBytes = bytes;
        mostPackets = mostPackets(bytes);
        packets = mostPackets;
        growth = 0;
    }

    private int mostPackets(int bytes) {
        int most = bytes < mtuBytes && bytes <= SMALL_BYTES ? MAX_UNACKED_SMALL_PSNS : MAX_UNACKED_PSNS;
        return Math.min(most, MAX_UNACKED_BYTES / Math.max(1, bytes));
    }

    /** Packets of up to {@code bytes} follow, up to {@code lastPsn}: as long as larger ones are under way, those count. */
    private void bound(int bytes, int lastPsn) {
        if (bytes == packetBytes) {
            largestPsn = lastPsn;
        } else if (bytes > packetBytes || Psn.isBefore(largestPsn, unackedPsn)) {
            packetBytes = bytes;
            largestPsn = lastPsn;
            mostPackets = mostPackets(bytes);
            packets = Math.min(packets, mostPackets);
        }
    }

    int pathMtu() {
        return mtuBytes;
    }

    MemorySegment memory() {
        return ring.memory();
    }

    /** Offset of the element the requester works on. */
    long currentWqe() {
        return ring.offset(current);
    }

    int currentSlot() {
        return current;
    }

    /** Offset of the oldest element not completed. */
    long oldestWqe() {
        return ring.offset(oldest);
    }

    int psn() {
        return psn;
    }

    int unackedPsn() {
        return unackedPsn;
    }

    int topPsn() {
        return topPsn;
    }

    /** Looks what is posted: once a turn of the device, since what is posted later rings for another one. */
    void look() {
        posted = ring.acquireProducer();
    }

    /** True if there is an element at {@code current}, as far as is known. */
    boolean hasCurrent() {
        return current != posted;
    }

    /** True if the element at {@code current} has been given its PSNs. */
    boolean isCurrentStarted() {
        return current != unstarted;
    }

    /** True if the requester works on the oldest element. */
    boolean isCurrentOldest() {
        return current == oldest;
    }

    /** True if some element is posted and not completed. */
    boolean hasOldest() {
        look();
        return oldest != posted;
    }

    /** True if an element has PSNs and is not completed. */
    boolean hasStarted() {
        return oldest != unstarted;
    }

    /** Gives the element at {@code current} its PSNs, and keeps its length out of the client's reach. */
    void startCurrent(int psnCount, long length) {
        if (lengths.length == 0) {
            makeTables();
        }
        lengths[current] = length;
        firstPsns[current] = psn;
        lastPsns[current] = Psn.add(psn, psnCount - 1);
        if (psnCount > 0) {
            messages = Psn.next(messages);
            bound((int) Math.min(length, mtuBytes), lastPsns[current]);
        }
        numbers[current] = messages;
        unstarted = ring.next(unstarted);
    }

    private void makeTables() {
        int slots = ring.capacity() + 1;
        firstPsns = new int[slots];
        lastPsns = new int[slots];
        lengths = new long[slots];
        numbers = new int[slots];
    }

    /** Number of the current element's message, from 1 on, 24 bits: its SSN (IBA 9.7.7.2). */
    int currentNumber() {
        return numbers[current];
    }

    /** True if nothing is sent that is not acknowledged, or all of it is about to be sent again. */
    boolean isIdle() {
        return psn == unackedPsn;
    }

    /** Packets of the current element not sent yet (or again), the next one included. */
    int packetsLeft() {
        return Psn.distance(lastPsns[current], psn) + 1;
    }

    /** Bytes of the current element's message. */
    long currentLength() {
        return lengths[current];
    }

    /** Bytes of the oldest element's message; it was started. */
    long oldestLength() {
        return lengths[oldest];
    }

    /** Bytes of the oldest element that are acknowledged. */
    long oldestBytesDone() {
        return (long) Psn.distance(unackedPsn, firstPsns[oldest]) * mtuBytes;
    }

    /** Packets of the current element before the next one. */
    int packetsSent() {
        return Psn.distance(psn, firstPsns[current]);
    }

    /** Bytes of the current element before the next packet. */
    long bytesSent() {
        return (long) packetsSent() * mtuBytes;
    }

    /** How many packets of answer a READ asks for at once through any network. */
    int readPart() {
        return Math.max(1, mostPackets(mtuBytes) / 2);
    }

    /** How many packets may be sent before an acknowledgement must come. */
    int room() {
        return Math.max(0, allowed() - underWay());
    }

    /** How many packets were sent that count, and are not acknowledged. */
    int underWay() {
        return Psn.distance(psn, countedPsn);
    }

    /** A part of the packets that may be under way at once, at least one. */
    int share(int divisor) {
        return Math.max(1, allowed() / divisor);
    }

    /** The same of packets that are read in place, on a path that takes {@code burstBytes} at once. */
    int room(int burstBytes) {
        long most = (long) (burstBytes / mtuBytes) * allowed() / mostPackets;
        return (int) Math.max(0, most - Psn.distance(psn, unackedPsn));
    }

    private int allowed() {
        return probing ? probePackets : packets;
    }

    /** How many of the next {@code count} packets have been sent before. */
    int resent(int count) {
        return Math.clamp(Psn.distance(topPsn, psn), 0, count);
    }

    /** {@code count} packets of the current element, which are read in place, were sent, or the request for so many. */
    void sentInPlace(int count) {
        sent(count);
        countedPsn = psn;
    }

    /** {@code count} packets of the current element were sent. */
    void sent(int count) {
        boolean last = count == packetsLeft();
        psn = Psn.add(psn, count);
        if (Psn.isAfter(psn, topPsn)) {
            topPsn = psn;
        }
        if (last) {
            current = ring.next(current);
        }
    }

    /** True if packets are out that nobody has acknowledged. */
    boolean hasUnacked() {
        return unackedPsn != topPsn;
    }

    /**
     * All packets before {@code nextPsn} are acknowledged.
     *
     * @return true if that is news
     */
    boolean acknowledge(int nextPsn) {
        if (!Psn.isAfter(nextPsn, unackedPsn) || Psn.isAfter(nextPsn, topPsn)) {
            return false;
        }
        onProgress(Psn.distance(nextPsn, unackedPsn));
        unackedPsn = nextPsn;
        if (Psn.isBefore(countedPsn, unackedPsn)) {
            countedPsn = unackedPsn;
        }
        if (Psn.isBefore(psn, unackedPsn)) {
            goBackTo(unackedPsn);
        }
        probing = probing && !isIdle();
        return true;
    }

    /** True if the oldest element is acknowledged whole. */
    boolean isOldestAcknowledged() {
        return oldest != unstarted && Psn.isBefore(lastPsns[oldest], unackedPsn);
    }

    /** Gives the oldest element back to the application's end of the ring. */
    void releaseOldest() {
        boolean wasCurrent = current == oldest;
        boolean wasUnstarted = unstarted == oldest;
        oldest = ring.next(oldest);
        if (wasCurrent) {
            current = oldest;
        }
        if (wasUnstarted) {
            unstarted = oldest;
        }
        ring.publishConsumer(oldest);
    }

    /** The next packet to send is {@code target} again (or, after a late acknowledgement, already). */
    void goBackTo(int target) {
        current = oldest;
        while (current != unstarted && Psn.isBefore(lastPsns[current], target)) {
            current = ring.next(current);
        }
        psn = target;
        countedPsn = unackedPsn;
        probing = false;
    }

    /**
     * Until the next packet, or the answer to it, has arrived, no other is sent: the peer may have kept those behind it. If it
     * has not, that costs a round trip. Where the gap goes on behind the packets sent last, it is twice as many.
     */
    void probe() {
        boolean goesOn = probePackets > 0 && psn == probeEnd;
        probePackets = goesOn ? Math.min(2 * probePackets, packets) : 1;
        probeEnd = Psn.add(psn, probePackets);
        probing = true;
    }
}
