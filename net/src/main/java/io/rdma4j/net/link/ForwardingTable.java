package io.rdma4j.net.link;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Behind which port of a bridge a station is ({@code net_bridge_fdb_entry}): what was learnt from the frames that it sent. A fixed number
 * of places, eight for each value of a hash; where all eight are taken, the station that was silent longest is forgotten, so that a flood of invented
 * addresses costs no memory. By the owner of the loop; allocates nothing.
 */
final class ForwardingTable {
    private static final int SETS = 512;
    private static final int WAYS = 8;

    /** Spreads addresses, whose first bytes are often the same (the golden ratio). */
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    private final long[] stations = new long[SETS * WAYS];
    private final @Nullable BridgePort[] ports = new BridgePort[SETS * WAYS];
    private final long[] seenNs = new long[SETS * WAYS];

    private static int firstPlace(long mac) {
        return (int) (mac * MULTIPLIER >>> (Long.SIZE - Integer.numberOfTrailingZeros(SETS))) * WAYS;
    }

    /** A station behind {@code port} has sent something. */
    void learn(long mac, BridgePort port, long nowNs) {
        int first = firstPlace(mac);
        int place = first;
        for (int i = first; i < first + WAYS; i++) {
            if (stations[i] == mac) {
                place = i;
                break;
            }
            if (isOlder(i, place)) {
                place = i;
            }
        }
        stations[place] = mac;
        ports[place] = port;
        seenNs[place] = nowNs;
    }

    /** An empty place is older than any. */
    private boolean isOlder(int place, int than) {
        if (ports[than] == null) {
            return false;
        }
        return ports[place] == null || seenNs[place] - seenNs[than] < 0;
    }

    /** The port of a station that was heard within {@code ageingNs}; null for any other. */
    @Nullable
    BridgePort find(long mac, long nowNs, long ageingNs) {
        int first = firstPlace(mac);
        for (int i = first; i < first + WAYS; i++) {
            if (stations[i] == mac) {
                return nowNs - seenNs[i] <= ageingNs ? ports[i] : null;
            }
        }
        return null;
    }

    /** Forgets all that is behind a port ({@code br_fdb_delete_by_port}). */
    void forget(BridgePort port) {
        for (int i = 0; i < ports.length; i++) {
            if (ports[i] == port) {
                ports[i] = null;
                stations[i] = 0;
            }
        }
    }

    /** How many stations it knows, silent ones too. */
    int size() {
        return (int) Arrays.stream(stations).filter(mac -> mac != 0).count();
    }
}
