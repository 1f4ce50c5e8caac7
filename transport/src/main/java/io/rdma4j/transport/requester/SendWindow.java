// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.base.Psn;
import io.rdma4j.transport.port.QpPort;
import io.rdma4j.verbs.spi.ring.Ring;
import io.rdma4j.verbs.spi.ring.RingMemory;
import io.rdma4j.verbs.spi.ring.SendQueue;

/**
 * The send requests in flight and the packet sequence numbers that they own: shared by {@link Requester} and
 * {@link Completer}.
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
 * <p>Packets that the peer reads in place ({@link QpPort#burstBytes}) fill no receive buffer. They have a separate
 * limit and do not count towards the limit of other packets behind them. Losses reduce both limits in proportion.
 */
final class SendWindow {
    /**
     * Maximum number of unacknowledged packets. Linux rxe allows 128 whatever their size. Here their bytes are limited
     * too, because the peer may be an ordinary socket. Its receive buffer (208 KiB by Linux's default, doubled on
     * request) must hold them all with the kernel's own overhead: about a packet's size, and some 500 bytes for the
     * shortest.
     */
    private static final int MAX_UNACKED_PSNS = 128;

    private static final int MAX_UNACKED_BYTES = 192 << 10;

    /**
     * For packets up to this size that are whole messages the limit is twice as high: 128 are two system calls, too few
     * to keep both ends busy.
     */
    private static final int SMALL_BYTES = 512;

    private static final int MAX_UNACKED_SMALL_PSNS = 2 * MAX_UNACKED_PSNS;

    /** Losses never reduce the window below this. */
    private static final int MIN_UNACKED_PSNS = 4;

    private static final int GROWTH_SHARE = 8;

    private static final int[] NO_INTS = {};
    private static final long[] NO_LONGS = {};

    private final SendQueue queue;
    private Ring ring;

    /**
     * Indexed by slot; allocated when the first request is started, because a queue pair that only receives needs none.
     */
    private int[] firstPsns = NO_INTS;

    private int[] lastPsns = NO_INTS;
    private long[] lengths = NO_LONGS;
    private int[] numbers = NO_INTS;

    /** The producer index of the ring that was read last. */
    private int posted;

    private int oldest;
    private int current;
    private int unstarted;
    private int psn;
    private int unackedPsn;
    private int topPsn;

    /** Packets before it are acknowledged, or read in place. */
    private int countedPsn;

    /** When all packets before it are acknowledged, the last loss is recovered. */
    private int recoveredPsn;

    private int mtuBytes;

    /** The largest packet size that may be in flight, and the last packet of that size. */
    private int packetBytes;

    private int largestPsn;

    /** The limit for packets of that size, and the limit after losses, in packets. */
    private int mostPackets;

    private int packets;
    private int growth;
    private int messages;

    /** Only packets that the peer certainly lacks are sent, until the peer reports further missing ones. */
    private boolean probing;

    private int probePackets;
    private int probeEnd;

    /** Begins with the oldest posted request. */
    SendWindow(SendQueue queue) {
        this.queue = queue;
        queue.moveOn();
        this.ring = queue.ring();
        begin();
    }

    private void begin() {
        oldest = ring.distance(ring.ownConsumer(), 0);
        current = oldest;
        posted = oldest;
        unstarted = oldest;
    }

    /**
     * Moves on to the ring of a resize, if all requests in the old one are completed.
     *
     * @return true if it does: requests may be pending there
     */
    boolean moveOn() {
        if (oldest != posted || !queue.moveOn()) {
            return false;
        }
        ring = queue.ring();
        begin();
        lengths = NO_LONGS;
        posted = ring.acquireProducer();
        return true;
    }

    /** Handles a missing packet: losses among packets that were in flight at the same time count as one loss. */
    void onGap() {
        if (!Psn.isBefore(unackedPsn, recoveredPsn)) {
            onLoss();
        }
    }

    /** Handles lost packets: the window is halved, so that the receiver can catch up. */
    void onLoss() {
        recoveredPsn = topPsn;
        packets = Math.max(Math.min(MIN_UNACKED_PSNS, mostPackets), packets / 2);
        growth = 0;
    }

    /** Handles acknowledged packets: after each full window the window grows by an eighth. */
    private void onProgress(int count) {
        growth += count;
        if (growth >= packets && packets < mostPackets) {
            growth = 0;
            packets = Math.min(mostPackets, packets + Math.max(1, packets / GROWTH_SHARE));
        }
    }

    /** Sets the first PSN to send; nothing is in flight. */
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

    /**
     * Adjusts the limits for packets of up to {@code bytes}, up to {@code lastPsn}: as long as larger ones are in
     * flight, those determine the limit.
     */
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

    RingMemory memory() {
        return ring.memory();
    }

    /** Offset of the element that the requester works on. */
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

    /** Reads the producer index: once per run of the device, since a later post sets the doorbell for another run. */
    void look() {
        posted = ring.acquireProducer();
        moveOn();
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

    /** True if more than half of the elements are posted and not completed. */
    boolean isHalfFull() {
        return 2 * ring.distance(posted, oldest) > ring.capacity();
    }

    /** True if an element has PSNs and is not completed. */
    boolean hasStarted() {
        return oldest != unstarted;
    }

    /** Assigns the PSNs of the element at {@code current}, and keeps its length where the client cannot change it. */
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

    /**
     * Starts the element at {@code current}, which was not started before, and counts all its packets as sent.
     *
     * @param packets number of PSNs, at least 1
     */
    void sendCurrent(int packets, long length) {
        startCurrent(packets, length);
        // All packets before them were sent, so none of them was sent before.
        psn = Psn.add(psn, packets);
        topPsn = psn;
        current = unstarted;
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

    /** True if no sent packet is unacknowledged, or all of them are about to be sent again. */
    boolean isIdle() {
        return psn == unackedPsn;
    }

    /** Packets of the current element that are not sent yet (or again), including the next one. */
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

    /** Maximum number of packets in the response to one part of a READ through any network. */
    int readPart() {
        return Math.max(1, mostPackets(mtuBytes) / 2);
    }

    /** Number of packets that may be sent before an acknowledgement must arrive. */
    int room() {
        return Math.max(0, allowed() - underWay());
    }

    /** Number of counted packets that were sent and are not acknowledged. */
    int underWay() {
        return Psn.distance(psn, countedPsn);
    }

    /** A part of the packets that may be in flight at once, at least one. */
    int share(int divisor) {
        return Math.max(1, allowed() / divisor);
    }

    /** The same for packets that are read in place, on a path that accepts {@code burstBytes} at once. */
    int room(int burstBytes) {
        long most = (long) (burstBytes / mtuBytes) * allowed() / mostPackets;
        return (int) Math.max(0, most - Psn.distance(psn, unackedPsn));
    }

    private int allowed() {
        return probing ? probePackets : packets;
    }

    /** Number of the next {@code count} packets that have been sent before. */
    int resent(int count) {
        return Math.clamp(Psn.distance(topPsn, psn), 0, count);
    }

    /**
     * Counts {@code count} packets of the current element that were sent and are read in place, or the request for so
     * many.
     */
    void sentInPlace(int count) {
        sent(count);
        countedPsn = psn;
    }

    /** Counts {@code count} packets of the current element that were sent. */
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

    /** True if every request that was started is completed, and no acknowledgement is awaited. */
    boolean isQuiet() {
        return oldest == unstarted && current == unstarted && unackedPsn == topPsn && psn == topPsn;
    }

    /** Maximum number of inline bytes of a request. */
    int maxInlineData() {
        return queue.maxInlineData();
    }

    /**
     * Completes the current element, whose message the peer has executed without packets. The window was {@linkplain
     * #isQuiet quiet}, and is so again.
     *
     * @param packets number of PSNs that the message consumes
     */
    void pass(int packets) {
        largestPsn = Psn.add(psn, packets - 1);
        psn = Psn.next(largestPsn);
        unackedPsn = psn;
        topPsn = psn;
        countedPsn = psn;
        recoveredPsn = psn;
        probing = false;
        messages = Psn.next(messages);
        unstarted = ring.next(unstarted);
        current = unstarted;
        oldest = unstarted;
        ring.publishConsumer(unstarted);
    }

    /** True if sent packets are unacknowledged. */
    boolean hasUnacked() {
        return unackedPsn != topPsn;
    }

    /**
     * Handles that all packets before {@code nextPsn} are acknowledged.
     *
     * @return true if some of them were not acknowledged before
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

    /** True if all packets of the oldest element are acknowledged. */
    boolean isOldestAcknowledged() {
        return oldest != unstarted && Psn.isBefore(lastPsns[oldest], unackedPsn);
    }

    /** Returns the oldest element to the application's end of the ring. */
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

    /**
     * Goes back to {@code target}, which is the next packet to send (or, after a late acknowledgement, forward to it).
     */
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
     * Sends no more than the next packet until it, or the response to it, has arrived: the peer may have kept those
     * behind it. If it has not, that costs a round trip. If the gap continues behind the packets sent last, the number
     * is doubled.
     */
    void probe() {
        boolean goesOn = probePackets > 0 && psn == probeEnd;
        probePackets = goesOn ? Math.min(2 * probePackets, packets) : 1;
        probeEnd = Psn.add(psn, probePackets);
        probing = true;
    }
}
