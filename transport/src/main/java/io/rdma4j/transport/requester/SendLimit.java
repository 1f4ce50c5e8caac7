// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.base.Psn;

/**
 * How many packets of a queue pair may be unacknowledged. Losses halve the limit, and full windows without a loss raise
 * it again.
 */
final class SendLimit {
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

    private final int mtuBytes;

    /** When all packets before it are acknowledged, the last loss is recovered. */
    private int recoveredPsn;

    /** The largest packet size that may be in flight, and the last packet of that size. */
    private int packetBytes;

    private int largestPsn;

    /** The limit for packets of that size, and the limit after losses, in packets. */
    private int mostPackets;

    private int packets;
    private int growth;

    /** Only packets that the peer certainly lacks are sent, until the peer reports further missing ones. */
    private boolean probing;

    private int probePackets;
    private int probeEnd;

    /** @param nextPsn of the first packet; nothing is in flight */
    SendLimit(int mtuBytes, int nextPsn) {
        this.mtuBytes = mtuBytes;
        packetBytes = mtuBytes;
        mostPackets = mostPackets(mtuBytes, mtuBytes);
        packets = mostPackets;
        pass(nextPsn);
    }

    private static int mostPackets(int bytes, int mtuBytes) {
        int most = bytes < mtuBytes && bytes <= SMALL_BYTES ? MAX_UNACKED_SMALL_PSNS : MAX_UNACKED_PSNS;
        return Math.min(most, MAX_UNACKED_BYTES / Math.max(1, bytes));
    }

    /** Maximum number of packets in the response to one part of a READ through any network. */
    static int readPart(int mtuBytes) {
        return Math.max(1, mostPackets(mtuBytes, mtuBytes) / 2);
    }

    /** Handles that nothing is in flight, and {@code nextPsn} is that of the next packet. */
    void pass(int nextPsn) {
        largestPsn = Psn.previous(nextPsn);
        recoveredPsn = nextPsn;
        probing = false;
    }

    /** Handles a missing packet: losses among packets that were in flight at the same time count as one loss. */
    void onGap(int unackedPsn, int topPsn) {
        if (!Psn.isBefore(unackedPsn, recoveredPsn)) {
            onLoss(topPsn);
        }
    }

    /** Handles lost packets: the window is halved, so that the receiver can catch up. */
    void onLoss(int topPsn) {
        recoveredPsn = topPsn;
        packets = Math.max(Math.min(MIN_UNACKED_PSNS, mostPackets), packets / 2);
        growth = 0;
    }

    /** Handles acknowledged packets: after each full window the window grows by an eighth. */
    void onProgress(int count) {
        growth += count;
        if (growth >= packets && packets < mostPackets) {
            growth = 0;
            packets = Math.min(mostPackets, packets + Math.max(1, packets / GROWTH_SHARE));
        }
    }

    /**
     * Adjusts the limits for packets of up to {@code bytes}, up to {@code lastPsn}: as long as larger ones are in
     * flight, those determine the limit.
     */
    void bound(int bytes, int lastPsn, int unackedPsn) {
        if (bytes == packetBytes) {
            largestPsn = lastPsn;
        } else if (bytes > packetBytes || Psn.isBefore(largestPsn, unackedPsn)) {
            packetBytes = bytes;
            largestPsn = lastPsn;
            mostPackets = mostPackets(bytes, mtuBytes);
            packets = Math.min(packets, mostPackets);
        }
    }

    /** Maximum number of packets that may be unacknowledged. */
    int packets() {
        return probing ? probePackets : packets;
    }

    /** The same for packets that are read in place, on a path that accepts {@code burstBytes} at once. */
    long packets(int burstBytes) {
        return (long) (burstBytes / mtuBytes) * packets() / mostPackets;
    }

    /** See {@link SendWindow#probe}. */
    void probe(int psn) {
        boolean goesOn = probePackets > 0 && psn == probeEnd;
        probePackets = goesOn ? Math.min(2 * probePackets, packets) : 1;
        probeEnd = Psn.add(psn, probePackets);
        probing = true;
    }

    void endProbe() {
        probing = false;
    }
}
