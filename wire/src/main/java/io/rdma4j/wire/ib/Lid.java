// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ib;

/** The ranges of local identifiers, 16 bits (IBA 4.1.3). */
public final class Lid {
    /** Not assigned. */
    public static final int NONE = 0;
    /** First multicast LID; smaller ones are unicast. */
    public static final int MULTICAST = 0xC000;
    /** Any port; for subnet management only. */
    public static final int PERMISSIVE = 0xFFFF;

    private Lid() {}

    /**
     * {@return true for the LID of a port}
     *
     * @param lid 16 bits
     */
    public static boolean isUnicast(int lid) {
        return lid > NONE && lid < MULTICAST;
    }

    /**
     * {@return true for the LID of a multicast group}
     *
     * @param lid 16 bits
     */
    public static boolean isMulticast(int lid) {
        return lid >= MULTICAST && lid < PERMISSIVE;
    }
}
