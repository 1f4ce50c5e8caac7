// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

/** Maps the type of service of packets to queueing priorities ({@code ip_tos2prio}, {@code TC_PRIO_…}). */
public final class TosPriority {
    /** Default ({@code TC_PRIO_BESTEFFORT}). */
    public static final int BEST_EFFORT = 0;
    /** Lowest urgency ({@code TC_PRIO_FILLER}). */
    public static final int FILLER = 1;
    /** Bulk transfers without an interactive user ({@code TC_PRIO_BULK}). */
    public static final int BULK = 2;
    /** Bulk transfers with an interactive user ({@code TC_PRIO_INTERACTIVE_BULK}). */
    public static final int INTERACTIVE_BULK = 4;
    /** Interactive traffic ({@code TC_PRIO_INTERACTIVE}). */
    public static final int INTERACTIVE = 6;
    /** Traffic of network control protocols ({@code TC_PRIO_CONTROL}). */
    public static final int CONTROL = 7;

    private static final int TOS_MASK = 0x1E;

    /** Index: the four bits of RFC 1349, low delay, throughput, reliability, low cost. */
    private static final int[] BY_TOS = {
        BEST_EFFORT, BEST_EFFORT, BEST_EFFORT, BEST_EFFORT,
        BULK, BULK, BULK, BULK,
        INTERACTIVE, INTERACTIVE, INTERACTIVE, INTERACTIVE,
        INTERACTIVE_BULK, INTERACTIVE_BULK, INTERACTIVE_BULK, INTERACTIVE_BULK
    };

    private TosPriority() {}

    /**
     * {@return the priority for a type of service ({@code rt_tos2priority})}
     *
     * @param typeOfService 8 bits
     */
    public static int of(int typeOfService) {
        return BY_TOS[(typeOfService & TOS_MASK) >>> 1];
    }
}
