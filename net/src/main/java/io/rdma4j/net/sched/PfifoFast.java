// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.sched;

/** A qdisc with three bands by packet priority ({@code pfifo_fast_ops}), the default of devices with a queue length. */
public final class PfifoFast extends Prio {
    private static final int BANDS = 3;

    /** {@code TC_PRIO_MAX}: the significant bits of a priority. */
    private static final int PRIORITY_MASK = 15;

    /** The band of each priority ({@code prio2band}): interactive and control traffic first, bulk and filler last. */
    private static final byte[] BAND_OF_PRIORITY = {1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};

    /**
     * Creates an empty qdisc.
     *
     * @param limit maximum number of packets in all bands together
     */
    public PfifoFast(int limit) {
        super("pfifo_fast", BANDS, limit, skb -> bandOf(skb.meta().priority()));
    }

    /**
     * {@return the band of a priority, of which the lower four bits are significant; band 0 is served first}
     *
     * @param priority priority of a packet
     */
    public static int bandOf(int priority) {
        return BAND_OF_PRIORITY[priority & PRIORITY_MASK];
    }
}
