// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.base.Psn;
import io.rdma4j.transport.port.QpPort;
import io.rdma4j.verbs.spi.ring.Ring;
import io.rdma4j.verbs.spi.ring.RingMemory;
import io.rdma4j.verbs.spi.ring.SendQueue;
import org.jspecify.annotations.Nullable;

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
    private static final int LENGTH = 1;
    private static final long[] NO_SLOTS = {};

    private final SendQueue queue;
    private Ring ring;

    /**
     * Two words for each slot: first and last PSN, and number and length of the message. Allocated when the first
     * request is started, because a queue pair that only receives needs none.
     */
    private long[] slots = NO_SLOTS;

    /** Null until the first packet: a queue pair that only delivers on links within this process needs none. */
    private @Nullable SendLimit limit;

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

    private int mtuBytes;
    private int messages;

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
        slots = NO_SLOTS;
        posted = ring.acquireProducer();
        return true;
    }

    private SendLimit limit() {
        SendLimit made = limit;
        if (made == null) {
            made = new SendLimit(mtuBytes, psn);
            limit = made;
        }
        return made;
    }

    /** Handles a missing packet: losses among packets that were in flight at the same time count as one loss. */
    void onGap() {
        limit().onGap(unackedPsn, topPsn);
    }

    /** Handles lost packets: the window is halved, so that the receiver can catch up. */
    void onLoss() {
        limit().onLoss(topPsn);
    }

    /** Sets the first PSN to send; nothing is in flight. */
    void startAt(int firstPsn) {
        psn = firstPsn;
        unackedPsn = firstPsn;
        topPsn = firstPsn;
        countedPsn = firstPsn;
        messages = 0;
        limit = null;
    }

    void pathMtu(int bytes) {
        mtuBytes = bytes;
        limit = null;
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
        if (slots.length == 0) {
            slots = new long[2 * (ring.capacity() + 1)];
        }
        int last = Psn.add(psn, psnCount - 1);
        if (psnCount > 0) {
            messages = Psn.next(messages);
            limit().bound((int) Math.min(length, mtuBytes), last, unackedPsn);
        }
        slots[2 * current] = pair(psn, last);
        slots[2 * current + LENGTH] = pair(messages, (int) length);
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

    private static long pair(int high, int low) {
        return (long) high << Integer.SIZE | Integer.toUnsignedLong(low);
    }

    private int firstPsn(int slot) {
        return (int) (slots[2 * slot] >>> Integer.SIZE);
    }

    private int lastPsn(int slot) {
        return (int) slots[2 * slot];
    }

    private long length(int slot) {
        return slots[2 * slot + LENGTH] & 0xFFFF_FFFFL;
    }

    /** Number of the current element's message, from 1 on, 24 bits: its SSN (IBA 9.7.7.2). */
    int currentNumber() {
        return (int) (slots[2 * current + LENGTH] >>> Integer.SIZE);
    }

    /** True if no sent packet is unacknowledged, or all of them are about to be sent again. */
    boolean isIdle() {
        return psn == unackedPsn;
    }

    /** Packets of the current element that are not sent yet (or again), including the next one. */
    int packetsLeft() {
        return Psn.distance(lastPsn(current), psn) + 1;
    }

    /** Bytes of the current element's message. */
    long currentLength() {
        return length(current);
    }

    /** Bytes of the oldest element's message; it was started. */
    long oldestLength() {
        return length(oldest);
    }

    /** Bytes of the oldest element that are acknowledged. */
    long oldestBytesDone() {
        return (long) Psn.distance(unackedPsn, firstPsn(oldest)) * mtuBytes;
    }

    /** Packets of the current element before the next one. */
    int packetsSent() {
        return Psn.distance(psn, firstPsn(current));
    }

    /** Bytes of the current element before the next packet. */
    long bytesSent() {
        return (long) packetsSent() * mtuBytes;
    }

    /** Maximum number of packets in the response to one part of a READ through any network. */
    int readPart() {
        return SendLimit.readPart(mtuBytes);
    }

    /** Number of packets that may be sent before an acknowledgement must arrive. */
    int room() {
        return Math.max(0, limit().packets() - underWay());
    }

    /** Number of counted packets that were sent and are not acknowledged. */
    int underWay() {
        return Psn.distance(psn, countedPsn);
    }

    /** A part of the packets that may be in flight at once, at least one. */
    int share(int divisor) {
        return Math.max(1, limit().packets() / divisor);
    }

    /** The same for packets that are read in place, on a path that accepts {@code burstBytes} at once. */
    int room(int burstBytes) {
        return (int) Math.max(0, limit().packets(burstBytes) - Psn.distance(psn, unackedPsn));
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
        psn = Psn.add(psn, packets);
        unackedPsn = psn;
        topPsn = psn;
        countedPsn = psn;
        if (limit != null) {
            limit.pass(psn);
        }
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
        SendLimit now = limit();
        now.onProgress(Psn.distance(nextPsn, unackedPsn));
        unackedPsn = nextPsn;
        if (Psn.isBefore(countedPsn, unackedPsn)) {
            countedPsn = unackedPsn;
        }
        if (Psn.isBefore(psn, unackedPsn)) {
            goBackTo(unackedPsn);
        }
        if (isIdle()) {
            now.endProbe();
        }
        return true;
    }

    /** True if all packets of the oldest element are acknowledged. */
    boolean isOldestAcknowledged() {
        return oldest != unstarted && Psn.isBefore(lastPsn(oldest), unackedPsn);
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
        while (current != unstarted && Psn.isBefore(lastPsn(current), target)) {
            current = ring.next(current);
        }
        psn = target;
        countedPsn = unackedPsn;
        if (limit != null) {
            limit.endProbe();
        }
    }

    /**
     * Sends no more than the next packet until it, or the response to it, has arrived: the peer may have kept those
     * behind it. If it has not, that costs a round trip. If the gap continues behind the packets sent last, the number
     * is doubled.
     */
    void probe() {
        limit().probe(psn);
    }
}
