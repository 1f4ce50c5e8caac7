// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Table of an Ethernet's stations and their places ({@code net_bridge_fdb_entry}), learned from received frames. The
 * size is fixed, so that a flood of forged addresses uses no further memory: eight entries for each hash value. If all
 * eight are in use, the entry of the station that was silent longest is replaced. For the owner of the loop; allocates
 * nothing.
 *
 * @param <T> type of the places, such as a port of a bridge
 */
public final class StationTable<T> {
    private static final int SETS = 512;
    private static final int WAYS = 8;

    /** Fibonacci hashing (golden ratio), because the first bytes of addresses are often the same. */
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    private final long[] stations = new long[SETS * WAYS];
    private final AtomicReferenceArray<@Nullable T> places = new AtomicReferenceArray<>(SETS * WAYS);
    private final long[] seenNs = new long[SETS * WAYS];

    /** Creates an empty table. */
    public StationTable() {}

    private static int firstPlace(long mac) {
        return (int) (mac * MULTIPLIER >>> (Long.SIZE - Integer.numberOfTrailingZeros(SETS))) * WAYS;
    }

    /**
     * Records that a station at {@code place} has sent a frame.
     *
     * @param mac 48 bits
     * @param place where the frame was received
     * @param nowNs of the loop's clock
     */
    public void learn(long mac, T place, long nowNs) {
        int first = firstPlace(mac);
        int chosen = first;
        for (int i = first; i < first + WAYS; i++) {
            if (stations[i] == mac) {
                chosen = i;
                break;
            }
            if (isOlder(i, chosen)) {
                chosen = i;
            }
        }
        stations[chosen] = mac;
        places.setPlain(chosen, place);
        seenNs[chosen] = nowNs;
    }

    /** Returns true if the entry at {@code index} is older; an empty entry is older than any other. */
    private boolean isOlder(int index, int than) {
        if (stations[than] == 0) {
            return false;
        }
        return stations[index] == 0 || seenNs[index] - seenNs[than] < 0;
    }

    /**
     * {@return the place of a station that has sent a frame within {@code ageingNs}; null for any other}
     *
     * @param mac 48 bits
     * @param nowNs of the loop's clock
     * @param ageingNs ageing time, ns
     */
    public @Nullable T find(long mac, long nowNs, long ageingNs) {
        int first = firstPlace(mac);
        for (int i = first; i < first + WAYS; i++) {
            if (stations[i] == mac) {
                return nowNs - seenNs[i] <= ageingNs ? places.getPlain(i) : null;
            }
        }
        return null;
    }

    /**
     * Removes all stations of a place ({@code br_fdb_delete_by_port}).
     *
     * @param place where their frames were received
     */
    @SuppressWarnings("ReferenceEquality") // identity
    public void forget(T place) {
        for (int i = 0; i < stations.length; i++) {
            if (places.getPlain(i) == place) {
                places.setPlain(i, null);
                stations[i] = 0;
            }
        }
    }

    /** {@return the number of stations in the table, including silent ones} */
    public int size() {
        return (int) Arrays.stream(stations).filter(mac -> mac != 0).count();
    }
}
