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

    /** @throws RdmaException EINVAL for a value out of range */
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

    /** How long {@code bytes} take to leave, nanoseconds. */
    public long serialisationNs(int bytes) {
        return bitsPerSecond == 0 ? 0 : bytes * 8_000_000_000L / bitsPerSecond;
    }

    public LinkProfile withLatencyNs(long ns) {
        return with(draft -> draft.latencyNs = ns);
    }

    public LinkProfile withJitterNs(long ns) {
        return with(draft -> draft.jitterNs = ns);
    }

    /** Speed, and how many packets wait for their turn. */
    public LinkProfile withBandwidth(long bitsEachSecond, int queueLimit) {
        return with(draft -> {
            draft.bitsPerSecond = bitsEachSecond;
            draft.queuePackets = queueLimit;
        });
    }

    public LinkProfile withMtuBytes(int bytes) {
        return with(draft -> draft.mtuBytes = bytes);
    }

    public LinkProfile withLoss(double probability) {
        return with(draft -> draft.loss = probability);
    }

    public LinkProfile withDuplication(double probability) {
        return with(draft -> draft.duplication = probability);
    }

    /** Probability and largest delay. */
    public LinkProfile withReordering(double probability, long delayNs) {
        return with(draft -> {
            draft.reordering = probability;
            draft.reorderNs = delayNs;
        });
    }

    public LinkProfile withCorruption(double probability) {
        return with(draft -> draft.corruption = probability);
    }

    public LinkProfile withBursts(BurstLoss next) {
        return with(draft -> draft.bursts = next);
    }

    /** From how many bytes waiting on packets are marked. */
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
