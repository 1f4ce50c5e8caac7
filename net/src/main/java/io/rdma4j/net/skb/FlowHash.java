// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import io.rdma4j.packet.PacketMeta;
import io.rdma4j.packet.SkBuff;

/**
 * Computes the hash of a packet's flow, which selects its queue and its worker ({@code skb_get_hash}).
 *
 * <p>Both directions of a flow have the same hash. A secret seed of the host keys it, so that a sender cannot direct
 * flows to one queue. One thread at a time may use it. Allocates nothing.
 */
public final class FlowHash {
    private final long seed;
    private final FlowKeys keys = new FlowKeys();

    /**
     * Creates a hash function.
     *
     * @param seed random for each host, or fixed for reproducible runs
     */
    public FlowHash(long seed) {
        this.seed = seed;
    }

    /**
     * {@return the hash of a packet ({@code skb_get_hash}), computed unless it is set; 0 if it has none}
     *
     * @param skb a packet with headers in the linear part or in fragments; only its hash field changes
     */
    public int of(SkBuff skb) {
        if (skb.meta().hash() == 0) {
            compute(skb);
        }
        return skb.meta().hash();
    }

    /**
     * Computes the hash of a packet and stores it there ({@code __skb_get_rxhash}), with {@link PacketMeta#l4Hash} if
     * it includes ports. The hash of a packet that is not IP is 0.
     *
     * @param skb a packet with headers in the linear part or in fragments; only its hash fields change
     */
    public void compute(SkBuff skb) {
        if (!keys.dissect(skb)) {
            skb.meta().hash(0);
            return;
        }
        int hash = of(keys);
        // The value 0 means that there is no hash.
        skb.meta().hash(hash == 0 ? 1 : hash, keys.hasPorts());
    }

    /**
     * {@return the hash of addresses, ports and protocol; any number}
     *
     * @param keys the result of {@link FlowKeys#dissect}
     */
    public int of(FlowKeys keys) {
        // The sum does not depend on the order of the ends, so both directions have the same hash.
        long source = end(keys.sourceHigh(), keys.sourceLow(), keys.sourcePort());
        long destination = end(keys.destinationHigh(), keys.destinationLow(), keys.destinationPort());
        return (int) (scramble(source + destination + keys.protocol()) >>> Integer.SIZE);
    }

    private long end(long high, long low, int port) {
        return scramble(scramble(scramble(seed ^ high) ^ low) ^ port);
    }

    /**
     * The final mixing step of SplitMix64 (Steele, Lea, Flood 2014): each input bit changes about half of the output
     * bits.
     */
    private static long scramble(long value) {
        long z = value + 0x9E37_79B9_7F4A_7C15L;
        z = (z ^ z >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ z >>> 27) * 0x94D0_49BB_1331_11EBL;
        return z ^ z >>> 31;
    }
}
