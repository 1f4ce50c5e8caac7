package io.rdma4j.net.ip;

/** Queueing priorities of packets by their type of service ({@code ip_tos2prio}, {@code TC_PRIO_…}). */
public final class TosPriority {
    /** Nothing special ({@code TC_PRIO_BESTEFFORT}). */
    public static final int BEST_EFFORT = 0;
    /** What can wait longest ({@code TC_PRIO_FILLER}). */
    public static final int FILLER = 1;
    /** Large transfers that nobody waits for ({@code TC_PRIO_BULK}). */
    public static final int BULK = 2;
    /** Large transfers that somebody waits for ({@code TC_PRIO_INTERACTIVE_BULK}). */
    public static final int INTERACTIVE_BULK = 4;
    /** Somebody waits ({@code TC_PRIO_INTERACTIVE}). */
    public static final int INTERACTIVE = 6;
    /** What keeps the network itself going ({@code TC_PRIO_CONTROL}). */
    public static final int CONTROL = 7;

    private static final int TOS_MASK = 0x1E;

    /** By the four bits of RFC 1349: low delay, throughput, reliability, low cost. */
    private static final int[] BY_TOS = {
        BEST_EFFORT, BEST_EFFORT, BEST_EFFORT, BEST_EFFORT,
        BULK, BULK, BULK, BULK,
        INTERACTIVE, INTERACTIVE, INTERACTIVE, INTERACTIVE,
        INTERACTIVE_BULK, INTERACTIVE_BULK, INTERACTIVE_BULK, INTERACTIVE_BULK
    };

    private TosPriority() {}

    /**
     * {@return the priority of a packet with a type of service, 8 bits ({@code rt_tos2priority})}
     *
     * @param typeOfService 8 bits
     */
    public static int of(int typeOfService) {
        return BY_TOS[(typeOfService & TOS_MASK) >>> 1];
    }
}
