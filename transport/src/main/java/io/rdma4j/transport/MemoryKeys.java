package io.rdma4j.transport;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The device's table from L_Keys and R_Keys to registered memory.
 *
 * <p>A key is {@code index << 8 | variant}. The variant changes at every registration of an index and freed indexes wait
 * in line before they are used again, so a stale key fails for a long time. Looking up is one array access, without locks,
 * from the port loop; registering and revoking come from any thread and are serialised here.
 */
public final class MemoryKeys {
    private static final int FIRST_INDEX = 1;
    private static final int INITIAL_SLOTS = 64;
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(MemoryKey[].class);

    private final int limit;
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private volatile @Nullable MemoryKey[] table = new MemoryKey[INITIAL_SLOTS];
    private byte[] variants = new byte[INITIAL_SLOTS];
    private int nextIndex = FIRST_INDEX;
    private int registered;

    /** @param limit how many regions may be registered at once (max_mr), below 2^24 - 1 */
    public MemoryKeys(int limit) {
        this.limit = limit;
    }

    /**
     * Registers memory.
     *
     * @throws RdmaException ENOMEM if the device's limit is reached
     */
    public synchronized MemoryKey register(Object protectionDomain, MemorySegment memory, long iova, int access) {
        if (registered == limit) {
            throw new RdmaException(Errno.ENOMEM, "all " + limit + " memory regions of the device (max_mr) are in use");
        }
        int index = takeIndex();
        int key = index << 8 | Byte.toUnsignedInt(++variants[index]);
        MemoryKey entry = new MemoryKey(key, protectionDomain, memory, iova, access);
        SLOT.setRelease(table, index, entry);
        registered++;
        return entry;
    }

    /** Revokes a key; the caller has made sure that the port loop is not just using it. */
    @SuppressWarnings("ReferenceEquality") // two registrations are never the same, however equal they look
    public synchronized void revoke(MemoryKey entry) {
        int index = entry.key() >>> 8;
        if (table[index] == entry) {
            SLOT.setRelease(table, index, null);
            free.addLast(index);
            registered--;
        }
    }

    /**
     * What {@code key} stands for, if it is valid, belongs to {@code protectionDomain} and grants all of {@code access}.
     *
     * @param access bits of {@link io.rdma4j.verbs.AccessFlag}, 0 for local reads
     * @return null for anything else
     */
    @SuppressWarnings("ReferenceEquality") // a protection domain is itself, not its value
    @Nullable
    MemoryKey lookup(Object protectionDomain, int key, int access) {
        @Nullable MemoryKey[] slots = table;
        int index = key >>> 8;
        if (index >= slots.length) {
            return null;
        }
        MemoryKey entry = (MemoryKey) SLOT.getAcquire(slots, index);
        boolean valid = entry != null
                && entry.key() == key
                && entry.protectionDomain() == protectionDomain
                && (entry.access() & access) == access;
        return valid ? entry : null;
    }

    /** Fresh indexes first: a freed one comes back only when the table is full or has to grow. */
    private int takeIndex() {
        if (nextIndex < table.length) {
            return nextIndex++;
        }
        if (!free.isEmpty() && free.size() >= table.length / 4) {
            return free.removeFirst();
        }
        if (table.length > limit) {
            return free.removeFirst();
        }
        int slots = Math.min(table.length * 2, limit + FIRST_INDEX);
        variants = Arrays.copyOf(variants, slots);
        table = Arrays.copyOf(table, slots);
        return nextIndex++;
    }
}
