// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.topology;

/** The P_Keys that two ports have in common. */
public final class SharedPkeys {
    private static final int KEY_BITS = 0x7FFF;
    private static final int FULL_BIT = 0x8000;

    private SharedPkeys() {}

    /** Returns the first P_Key of a port by which it can exchange packets with another one; 0 if there is none. */
    public static int common(SmPort port, SmPort with) {
        for (int key : port.pkeys) {
            if (key != 0 && canUse(port, with, key)) {
                return key;
            }
        }
        return 0;
    }

    /** True if two ports can exchange packets in a partition. */
    public static boolean canUse(SmPort first, SmPort second, int pkey) {
        int one = entry(first, pkey);
        int other = entry(second, pkey);
        return one != 0 && other != 0 && ((one | other) & FULL_BIT) != 0;
    }

    /** True if a port is a member of a partition. */
    public static boolean has(SmPort port, int pkey) {
        return entry(port, pkey) != 0;
    }

    private static int entry(SmPort port, int pkey) {
        for (int key : port.pkeys) {
            if (key != 0 && (key & KEY_BITS) == (pkey & KEY_BITS)) {
                return key;
            }
        }
        return 0;
    }
}
