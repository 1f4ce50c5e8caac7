package io.rdma4j.net.link;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Where the stations of an Ethernet are ({@code net_bridge_fdb_entry}): what was learnt from the frames that they sent. A fixed number
 * of places, eight for each value of a hash; where all eight are taken, the station that was silent longest is forgotten, so that a flood of
 * invented addresses costs no memory. By the owner of the loop; allocates nothing.
 *
 * @param <T> a port of a bridge, say
 */
public final class StationTable<T> {
    private static final int SETS = 512;
    private static final int WAYS = 8;

    /** Spreads addresses, whose first bytes are often the same (the golden ratio). */
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    private final long[] stations = new long[SETS * WAYS];
    private final AtomicReferenceArray<@Nullable T> places = new AtomicReferenceArray<>(SETS * WAYS);
    private final long[] seenNs = new long[SETS * WAYS];

    /** An empty table. */
    public StationTable() {}

    private static int firstPlace(long mac) {
        return (int) (mac * MULTIPLIER >>> (Long.SIZE - Integer.numberOfTrailingZeros(SETS))) * WAYS;
    }

    /**
     * A station at {@code place} has sent something.
     *
     * @param mac 48 bits
     * @param place where it was heard
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

    /** An empty place is older than any. */
    private boolean isOlder(int index, int than) {
        if (stations[than] == 0) {
            return false;
        }
        return stations[index] == 0 || seenNs[index] - seenNs[than] < 0;
    }

    /**
     * {@return where a station is that was heard within {@code ageingNs}; null for any other}
     *
     * @param mac 48 bits
     * @param nowNs of the loop's clock
     * @param ageingNs nanoseconds
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
     * Forgets all stations that are there ({@code br_fdb_delete_by_port}).
     *
     * @param place where it was heard
     */
    @SuppressWarnings("ReferenceEquality") // a place is itself
    public void forget(T place) {
        for (int i = 0; i < stations.length; i++) {
            if (places.getPlain(i) == place) {
                places.setPlain(i, null);
                stations[i] = 0;
            }
        }
    }

    /** {@return how many stations it knows, silent ones too} */
    public int size() {
        return (int) Arrays.stream(stations).filter(mac -> mac != 0).count();
    }
}
