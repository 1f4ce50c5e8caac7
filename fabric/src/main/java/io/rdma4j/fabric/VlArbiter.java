// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

/**
 * Chooses the virtual lane of the next packet of a port (IBA 7.6.9): two tables of lanes with weights in units of 64
 * bytes. A packet of the high table goes first, unless the limit of the high table is used up and a packet of the low
 * table can go. An entry with a remaining weight may send; a packet may make it negative. VL15 is not subject to it.
 */
final class VlArbiter {
    /** Entries of each table. */
    static final int ENTRIES = 64;
    /** A limit of the high table that never ends. */
    static final int NO_LIMIT = 255;

    static final int NONE = -1;

    private static final int WEIGHT_BYTES = 64;
    private static final int LIMIT_BYTES = 4096;

    /** One table and the state of its round. */
    private static final class Table {
        private final int[] lanes = new int[ENTRIES];
        private final int[] weights = new int[ENTRIES];
        private int current;
        private int remaining;

        boolean has(int ready) {
            for (int i = 0; i < ENTRIES; i++) {
                if (isReady(i, ready)) {
                    return true;
                }
            }
            return false;
        }

        private boolean isReady(int entry, int ready) {
            return weights[entry] > 0 && (ready >>> lanes[entry] & 1) != 0;
        }

        /** Returns the lane of the current entry, or of the next one that can send. One of them can. */
        int next(int ready) {
            while (remaining <= 0 || !isReady(current, ready)) {
                current = (current + 1) % ENTRIES;
                remaining = weights[current] * WEIGHT_BYTES;
            }
            return lanes[current];
        }
    }

    private final Table high = new Table();
    private final Table low = new Table();
    private int highLimit;
    private long highBytes;
    private boolean isFromHigh;

    /** Creates tables in which every data lane has the same low weight. */
    VlArbiter() {
        for (int lane = 0; lane < ENTRIES; lane++) {
            low.lanes[lane] = lane % 15;
            low.weights[lane] = lane < 15 ? 4 : 0;
        }
    }

    void limit(int units) {
        highLimit = units;
    }

    void entry(boolean inHigh, int index, int lane, int weight) {
        Table table = inHigh ? high : low;
        table.lanes[index] = lane;
        table.weights[index] = weight;
    }

    int lane(boolean inHigh, int index) {
        return (inHigh ? high : low).lanes[index];
    }

    int weight(boolean inHigh, int index) {
        return (inHigh ? high : low).weights[index];
    }

    /**
     * Returns the lane that sends next, or {@link #NONE}.
     *
     * @param ready a bit for each lane with a packet and credits for it
     */
    int choose(int ready) {
        boolean lowWaits = low.has(ready);
        if (!lowWaits) {
            highBytes = 0;
        }
        boolean isUsedUp = highLimit != NO_LIMIT && highBytes > 0 && highBytes >= (long) highLimit * LIMIT_BYTES;
        isFromHigh = high.has(ready) && !(lowWaits && isUsedUp);
        if (isFromHigh) {
            return high.next(ready);
        }
        return lowWaits ? low.next(ready) : NONE;
    }

    /** Counts the bytes of the packet that the lane of the last {@link #choose} sends. */
    void sent(int bytes) {
        if (isFromHigh) {
            high.remaining -= bytes;
            highBytes += bytes;
        } else {
            low.remaining -= bytes;
            highBytes = 0;
        }
    }
}
