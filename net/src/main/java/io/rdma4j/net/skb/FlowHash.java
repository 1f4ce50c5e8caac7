package io.rdma4j.net.skb;

import io.rdma4j.packet.SkBuff;

/**
 * One number for all packets of a flow, which keeps them on one queue and one worker ({@code skb_get_hash}).
 *
 * <p>Both directions of a flow have the same number. It is keyed by a secret of the host, so that nobody can aim at one queue.
 * By one thread at a time; allocates nothing.
 */
public final class FlowHash {
    private final long seed;
    private final FlowKeys keys = new FlowKeys();

    /**
     * A hash of its own.
     *
     * @param seed drawn by lot once a host, or given where a run must repeat
     */
    public FlowHash(long seed) {
        this.seed = seed;
    }

    /**
     * {@return the hash of a packet ({@code skb_get_hash}): computed unless it is there} 0: it has none.
     *
     * @param skb one whose headers are in the linear part or in fragments; stays as it is
     */
    public int of(SkBuff skb) {
        if (skb.hash() == 0) {
            compute(skb);
        }
        return skb.hash();
    }

    /**
     * Computes the hash of a packet and writes it on it ({@code __skb_get_rxhash}), {@link SkBuff#l4Hash} if ports took part. The
     * hash of what is no IP packet is 0.
     *
     * @param skb one whose headers are in the linear part or in fragments; stays as it is
     */
    public void compute(SkBuff skb) {
        if (!keys.dissect(skb)) {
            skb.hash(0);
            return;
        }
        int hash = of(keys);
        // 0 says that there is none.
        skb.hash(hash == 0 ? 1 : hash, keys.hasPorts());
    }

    /**
     * {@return the hash of addresses, ports and protocol; may be any number}
     *
     * @param keys what {@link FlowKeys#dissect} has read
     */
    public int of(FlowKeys keys) {
        // Whichever end is called the source: sums do not care for order.
        long source = end(keys.sourceHigh(), keys.sourceLow(), keys.sourcePort());
        long destination = end(keys.destinationHigh(), keys.destinationLow(), keys.destinationPort());
        return (int) (scramble(source + destination + keys.protocol()) >>> Integer.SIZE);
    }

    private long end(long high, long low, int port) {
        return scramble(scramble(scramble(seed ^ high) ^ low) ^ port);
    }

    /** The finishing step of SplitMix64 (Steele, Lea, Flood 2014): each bit of the input turns half of the output. */
    private static long scramble(long value) {
        long z = value + 0x9E37_79B9_7F4A_7C15L;
        z = (z ^ z >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ z >>> 27) * 0x94D0_49BB_1331_11EBL;
        return z ^ z >>> 31;
    }
}
