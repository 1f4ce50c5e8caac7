package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.List;

/**
 * The partitions that a port belongs to (IBA 10.9): 16-bit keys, of which bit 15 says whether as a full or a limited member.
 * Immutable; Linux rxe has one entry, that of the default partition.
 */
final class PkeyTable {
    private static final int FULL_MEMBER = 0x8000;
    private static final int PARTITION_MASK = 0x7FFF;
    private static final int KEY_MASK = 0xFFFF;

    private final int[] keys;

    /** @throws RdmaException EINVAL for no key at all, one of partition 0, or of more than 16 bits */
    PkeyTable(List<Integer> keys) {
        this.keys = keys.stream().mapToInt(Integer::intValue).toArray();
        if (keys.isEmpty()) {
            throw new RdmaException(Errno.EINVAL, "a port needs a P_Key at least, the default is 0xffff");
        }
        for (int key : keys) {
            if ((key & ~KEY_MASK) != 0 || (key & PARTITION_MASK) == 0) {
                throw new RdmaException(
                        Errno.EINVAL,
                        "0x" + Integer.toHexString(key) + " is no P_Key: 16 bits, the lower 15 of them not all 0");
            }
        }
    }

    int size() {
        return keys.length;
    }

    /** The key at {@code index}; 0, which matches nothing, outside of the table. */
    int at(int index) {
        return index >= 0 && index < keys.length ? keys[index] : 0;
    }

    /** True if the port is in the partition of a packet's key: what the general services ask for (IBA 10.9.8). */
    boolean accepts(int pkey) {
        for (int key : keys) {
            if (matches(key, pkey)) {
                return true;
            }
        }
        return false;
    }

    /** Same partition, and at least one side a full member of it (IBA 10.9.3). */
    static boolean matches(int a, int b) {
        return (a & PARTITION_MASK) == (b & PARTITION_MASK)
                && (a & PARTITION_MASK) != 0
                && ((a | b) & FULL_MEMBER) != 0;
    }
}
