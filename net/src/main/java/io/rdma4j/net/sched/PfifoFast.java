package io.rdma4j.net.sched;

/**
 * Three bands by the priority of a packet ({@code pfifo_fast_ops}): the default of devices whose packets may wait.
 */
public final class PfifoFast extends Prio {
    private static final int BANDS = 3;

    /** {@code TC_PRIO_MAX}: what of a priority counts. */
    private static final int PRIORITY_MASK = 15;

    /** The band of each priority ({@code prio2band}): interactive and control traffic first, bulk and filler last. */
    private static final byte[] BAND_OF_PRIORITY = {1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};

    /**
     * An empty queue of three bands.
     *
     * @param limit packets that may wait at most, in all bands together
     */
    public PfifoFast(int limit) {
        super("pfifo_fast", BANDS, limit, skb -> bandOf(skb.priority()));
    }

    /**
     * {@return the band of a priority, 0 is served first; of the priority, the lower four bits count}
     *
     * @param priority of a packet
     */
    public static int bandOf(int priority) {
        return BAND_OF_PRIORITY[priority & PRIORITY_MASK];
    }
}
