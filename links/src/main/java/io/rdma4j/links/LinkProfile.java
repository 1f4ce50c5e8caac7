// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.function.Consumer;

/**
 * Properties of one direction of a link: speed, delay and faults. Probabilities are per packet, from 0 to 1, and
 * independent of one another.
 *
 * @param latencyNs from the last bit sent to the packet's arrival
 * @param jitterNs maximum random additional delay; does not change the order
 * @param bitsPerSecond transmission rate; 0: unlimited
 * @param queuePackets maximum number of packets queued or being sent; further packets are dropped; ignored at rate 0
 * @param mtuBytes largest IP packet; longer ones are dropped silently, as don't-fragment packets in a network without
 *     ICMP errors
 * @param loss probability that a packet is lost
 * @param duplication probability that a packet arrives twice
 * @param reordering probability that a packet is delayed by up to {@code reorderNs}, so that others overtake it
 * @param reorderNs maximum delay of a reordered packet, at least 1
 * @param corruption probability that one to eight bits, or bytes, anywhere in the packet are changed, headers included
 * @param bursts periods in which all packets are lost
 * @param ecnBytes an ECN-capable packet is marked (ECN CE) if more than this many bytes are queued before it; 0: never
 */
public record LinkProfile(
        long latencyNs,
        long jitterNs,
        long bitsPerSecond,
        int queuePackets,
        int mtuBytes,
        double loss,
        double duplication,
        double reordering,
        long reorderNs,
        double corruption,
        BurstLoss bursts,
        int ecnBytes) {
    /** Delivers every packet once, in order, unchanged, after ten microseconds. */
    public static final LinkProfile PERFECT =
            new LinkProfile(10_000, 0, 0, 256, 65_535, 0, 0, 0, 50_000, 0, BurstLoss.NONE, 0);

    /**
     * Checks the ranges.
     *
     * @throws RdmaException EINVAL for a value out of range
     */
    public LinkProfile {
        atLeast("latency", latencyNs, 0);
        atLeast("jitter", jitterNs, 0);
        atLeast("bandwidth", bitsPerSecond, 0);
        atLeast("queue length", queuePackets, 1);
        atLeast("ECN threshold", ecnBytes, 0);
        atLeast("path MTU", mtuBytes, 68);
        atLeast("reordering delay", reorderNs, 1);
        probability("loss", loss);
        probability("duplication", duplication);
        probability("reordering", reordering);
        probability("corruption", corruption);
    }

    private static void atLeast(String name, long value, long minimum) {
        if (value < minimum) {
            throw new RdmaException(Errno.EINVAL, name + " " + value + " is less than " + minimum);
        }
    }

    private static void probability(String name, double value) {
        if (!(value >= 0 && value <= 1)) {
            throw new RdmaException(Errno.EINVAL, name + " " + value + " is not a probability from 0 to 1");
        }
    }

    /** True if packets that fit the MTU arrive at once, unchanged. */
    boolean isPlain() {
        return latencyNs == 0
                && jitterNs == 0
                && bitsPerSecond == 0
                && loss == 0
                && duplication == 0
                && reordering == 0
                && corruption == 0
                && bursts.begin() == 0;
    }

    /**
     * {@return the serialisation time of {@code bytes}, nanoseconds}
     *
     * @param bytes of a packet
     */
    public long serialisationNs(int bytes) {
        return bitsPerSecond == 0 ? 0 : bytes * 8_000_000_000L / bitsPerSecond;
    }

    /**
     * {@return this profile with another latency}
     *
     * @param ns nanoseconds from the last bit sent to the packet's arrival
     */
    public LinkProfile withLatencyNs(long ns) {
        return with(draft -> draft.latencyNs = ns);
    }

    /**
     * {@return this profile with another jitter}
     *
     * @param ns maximum additional delay, nanoseconds
     */
    public LinkProfile withJitterNs(long ns) {
        return with(draft -> draft.jitterNs = ns);
    }

    /**
     * {@return this profile with another transmission rate and queue length}
     *
     * @param bitsEachSecond 0 for no limit
     * @param queueLimit packets
     */
    public LinkProfile withBandwidth(long bitsEachSecond, int queueLimit) {
        return with(draft -> {
            draft.bitsPerSecond = bitsEachSecond;
            draft.queuePackets = queueLimit;
        });
    }

    /**
     * {@return this profile with another MTU}
     *
     * @param bytes of an IP packet
     */
    public LinkProfile withMtuBytes(int bytes) {
        return with(draft -> draft.mtuBytes = bytes);
    }

    /**
     * {@return this profile with another loss probability}
     *
     * @param probability 0 to 1
     */
    public LinkProfile withLoss(double probability) {
        return with(draft -> draft.loss = probability);
    }

    /**
     * {@return this profile with another probability that a packet is duplicated}
     *
     * @param probability 0 to 1
     */
    public LinkProfile withDuplication(double probability) {
        return with(draft -> draft.duplication = probability);
    }

    /**
     * {@return this profile with another probability that a packet is delayed so that others overtake it}
     *
     * @param probability 0 to 1
     * @param delayNs maximum delay, nanoseconds
     */
    public LinkProfile withReordering(double probability, long delayNs) {
        return with(draft -> {
            draft.reordering = probability;
            draft.reorderNs = delayNs;
        });
    }

    /**
     * {@return this profile with another probability that bits or bytes of a packet are changed}
     *
     * @param probability 0 to 1
     */
    public LinkProfile withCorruption(double probability) {
        return with(draft -> draft.corruption = probability);
    }

    /**
     * {@return this profile with other bursts of loss}
     *
     * @param next how often and how long
     */
    public LinkProfile withBursts(BurstLoss next) {
        return with(draft -> draft.bursts = next);
    }

    /**
     * {@return this profile with another threshold for ECN marks}
     *
     * @param bytes queued before a packet; 0: no marks
     */
    public LinkProfile withEcnBytes(int bytes) {
        return with(draft -> draft.ecnBytes = bytes);
    }

    private LinkProfile with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.profile();
    }

    /** A profile that is being changed. */
    private static final class Draft {
        long latencyNs;
        long jitterNs;
        long bitsPerSecond;
        int queuePackets;
        int mtuBytes;
        double loss;
        double duplication;
        double reordering;
        long reorderNs;
        double corruption;
        BurstLoss bursts;
        int ecnBytes;

        Draft(LinkProfile from) {
            latencyNs = from.latencyNs;
            jitterNs = from.jitterNs;
            bitsPerSecond = from.bitsPerSecond;
            queuePackets = from.queuePackets;
            mtuBytes = from.mtuBytes;
            loss = from.loss;
            duplication = from.duplication;
            reordering = from.reordering;
            reorderNs = from.reorderNs;
            corruption = from.corruption;
            bursts = from.bursts;
            ecnBytes = from.ecnBytes;
        }

        LinkProfile profile() {
            return new LinkProfile(
                    latencyNs,
                    jitterNs,
                    bitsPerSecond,
                    queuePackets,
                    mtuBytes,
                    loss,
                    duplication,
                    reordering,
                    reorderNs,
                    corruption,
                    bursts,
                    ecnBytes);
        }
    }
}
