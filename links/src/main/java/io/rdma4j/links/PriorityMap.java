// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.Arrays;

/**
 * Maps a packet's priority to the priority in its VLAN tag ({@code egress_priority_map}); 0 for priorities without an
 * entry. Immutable, so that the loop reads it without a lock.
 */
final class PriorityMap {
    static final PriorityMap EMPTY = new PriorityMap(new int[0], new int[0]);

    private final int[] priorities;
    private final int[] codePoints;

    private PriorityMap(int[] priorities, int[] codePoints) {
        this.priorities = priorities;
        this.codePoints = codePoints;
    }

    /** Returns the code point, 3 bits, for a priority, 32 bits. */
    int get(int priority) {
        for (int i = 0; i < priorities.length; i++) {
            if (priorities[i] == priority) {
                return codePoints[i];
            }
        }
        return 0;
    }

    /** Returns a map with this entry, which replaces an older one for the same priority. */
    PriorityMap with(int priority, int codePoint) {
        checkCodePoint(codePoint);
        int[] keys = new int[priorities.length + 1];
        int[] values = new int[keys.length];
        int count = 0;
        for (int i = 0; i < priorities.length; i++) {
            if (priorities[i] != priority) {
                keys[count] = priorities[i];
                values[count++] = codePoints[i];
            }
        }
        keys[count] = priority;
        values[count++] = codePoint;
        return new PriorityMap(Arrays.copyOf(keys, count), Arrays.copyOf(values, count));
    }

    /** @throws RdmaException EINVAL for more than 3 bits */
    static void checkCodePoint(int codePoint) {
        if (codePoint < 0 || codePoint > 7) {
            throw new RdmaException(Errno.EINVAL, "priority " + codePoint + " in a tag is not in 0..7");
        }
    }
}
