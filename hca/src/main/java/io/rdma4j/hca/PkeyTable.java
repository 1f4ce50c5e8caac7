// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.Arrays;
import java.util.List;

/**
 * The P_Key table of a port (IBA 10.9): 16-bit keys; bit 15 marks a full member of the partition, otherwise a limited
 * one. Only the owner of the port loop writes; other threads may read slightly old values. Linux rxe has a constant
 * table with one entry, the default partition.
 */
public final class PkeyTable {
    private static final int FULL_MEMBER = 0x8000;
    private static final int PARTITION_MASK = 0x7FFF;
    private static final int KEY_MASK = 0xFFFF;
    private static final int NONE = -1;

    private volatile int[] keys;

    /** @throws RdmaException EINVAL for an empty list, a key of partition 0, or a key of more than 16 bits */
    public PkeyTable(List<Integer> keys) {
        this.keys = keys.stream().mapToInt(Integer::intValue).toArray();
        if (keys.isEmpty()) {
            throw new RdmaException(Errno.EINVAL, "a port needs a P_Key at least, the default is 0xffff");
        }
        keys.forEach(PkeyTable::check);
    }

    private static void check(int key) {
        if ((key & ~KEY_MASK) != 0 || (key & PARTITION_MASK) == 0) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "0x" + Integer.toHexString(key) + " is no P_Key: 16 bits, the lower 15 of them not all 0");
        }
    }

    /**
     * Changes an entry.
     *
     * @param key 0 to leave the partition
     * @return true if the entry had a different value
     * @throws RdmaException EINVAL if there is no such entry, or {@code key} is invalid
     */
    public boolean set(int index, int key) {
        if (index < 0 || index >= keys.length) {
            throw new RdmaException(Errno.EINVAL, "P_Key index " + index + " is not in 0.." + (keys.length - 1));
        }
        if (key != 0) {
            check(key);
        }
        int[] now = keys.clone();
        boolean changed = now[index] != key;
        now[index] = key;
        keys = now;
        return changed;
    }

    /**
     * Restores stored entries, as many as both tables have.
     *
     * @throws RdmaException EINVAL if an entry is invalid; nothing is changed then
     */
    public void restore(int[] written) {
        for (int key : written) {
            if (key != 0) {
                check(key);
            }
        }
        int[] now = keys.clone();
        System.arraycopy(written, 0, now, 0, Math.min(written.length, now.length));
        keys = now;
    }

    /**
     * Replaces the whole table, as a subnet manager does. Entries that are no keys are empty.
     *
     * @param written 16 bits each, at least one
     */
    public void replace(int[] written) {
        keys = Arrays.stream(written)
                .map(key -> (key & PARTITION_MASK) == 0 ? 0 : key & KEY_MASK)
                .toArray();
    }

    /** Returns all entries, for storage. */
    public int[] toArray() {
        return keys.clone();
    }

    public int size() {
        return keys.length;
    }

    /** Returns the key at {@code index}; outside the table 0, which matches no key. */
    public int at(int index) {
        int[] now = keys;
        return index >= 0 && index < now.length ? now[index] : 0;
    }

    /** Returns true if the port is in the partition of a packet's key; used by the general services (IBA 10.9.8). */
    public boolean accepts(int pkey) {
        return indexOf(pkey) != NONE;
    }

    /** Returns the index of the first entry that matches a packet's key; -1 if the port is not in its partition. */
    public int indexOf(int pkey) {
        int[] now = keys;
        for (int index = 0; index < now.length; index++) {
            if (matches(now[index], pkey)) {
                return index;
            }
        }
        return NONE;
    }

    /** Returns true if both keys have the same partition and at least one is a full member (IBA 10.9.3). */
    public static boolean matches(int a, int b) {
        return (a & PARTITION_MASK) == (b & PARTITION_MASK)
                && (a & PARTITION_MASK) != 0
                && ((a | b) & FULL_MEMBER) != 0;
    }
}
