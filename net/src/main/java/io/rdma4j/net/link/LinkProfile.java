package io.rdma4j.net.link;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.function.Consumer;

/**
 * What one direction of a link does to packets: how fast it is, and its faults. Probabilities are per packet, in 0..1, and independent of one another.
 *
 * @param latencyNs from the last bit sent to the packet's arrival
 * @param jitterNs how much later than that a packet may arrive, by chance; the order stays
 * @param bitsPerSecond how fast bits leave; 0: all at once
 * @param queuePackets packets that wait for their turn at most, beyond which they are dropped; without meaning at speed 0
 * @param mtuBytes largest IP packet; longer ones vanish, as don't-fragment packets do in a network that tells nobody
 * @param loss a packet vanishes
 * @param duplication it arrives twice
 * @param reordering it is late by up to {@code reorderNs}, so that others overtake it
 * @param reorderNs at least 1
 * @param corruption one to eight bits, or bytes, anywhere in it are changed, headers included
 * @param bursts times in which all packets vanish
 * @param ecnBytes a packet that finds more than so many bytes waiting before it is marked (ECN CE) if its sender listens to
 *     that; 0 for never
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
    /** Delivers everything once, in order, whole, after ten microseconds. */
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

    /**
     * {@return how long {@code bytes} take to leave, nanoseconds}
     *
     * @param bytes of a packet
     */
    public long serialisationNs(int bytes) {
        return bitsPerSecond == 0 ? 0 : bytes * 8_000_000_000L / bitsPerSecond;
    }

    /**
     * {@return the same with another latency}
     *
     * @param ns nanoseconds from the last bit sent to the packet's arrival
     */
    public LinkProfile withLatencyNs(long ns) {
        return with(draft -> draft.latencyNs = ns);
    }

    /**
     * {@return the same with another jitter}
     *
     * @param ns nanoseconds that a packet takes longer at most
     */
    public LinkProfile withJitterNs(long ns) {
        return with(draft -> draft.jitterNs = ns);
    }

    /**
     * {@return the same with another speed, and room for other numbers of packets that wait for their turn}
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
     * {@return the same with another MTU}
     *
     * @param bytes of an IP packet
     */
    public LinkProfile withMtuBytes(int bytes) {
        return with(draft -> draft.mtuBytes = bytes);
    }

    /**
     * {@return the same with another probability that a packet is lost}
     *
     * @param probability 0 to 1
     */
    public LinkProfile withLoss(double probability) {
        return with(draft -> draft.loss = probability);
    }

    /**
     * {@return the same with another probability that a packet comes twice}
     *
     * @param probability 0 to 1
     */
    public LinkProfile withDuplication(double probability) {
        return with(draft -> draft.duplication = probability);
    }

    /**
     * {@return the same with another probability that a packet comes late, so that others overtake it}
     *
     * @param probability 0 to 1
     * @param delayNs how late at most, nanoseconds
     */
    public LinkProfile withReordering(double probability, long delayNs) {
        return with(draft -> {
            draft.reordering = probability;
            draft.reorderNs = delayNs;
        });
    }

    /**
     * {@return the same with another probability that bits or bytes of a packet are changed}
     *
     * @param probability 0 to 1
     */
    public LinkProfile withCorruption(double probability) {
        return with(draft -> draft.corruption = probability);
    }

    /**
     * {@return the same with other bursts of loss}
     *
     * @param next how often and how long
     */
    public LinkProfile withBursts(BurstLoss next) {
        return with(draft -> draft.bursts = next);
    }

    /**
     * {@return the same with another mark from which on packets are told of congestion}
     *
     * @param bytes that wait; 0 for none
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
