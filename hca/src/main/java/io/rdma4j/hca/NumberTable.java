// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A table of a device's objects by number. It is an array, because every packet looks up objects.
 *
 * <p>A number that was freed is reused last.
 */
public final class NumberTable<T> {
    private static final int INITIAL_SLOTS = 64;

    private final PortLock lock;
    private final int first;
    private final int limit;
    private final String limitName;
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private @Nullable Object[] slots = new Object[INITIAL_SLOTS];
    private int next;

    /**
     * @param lock for changes of the table
     * @param first lowest number
     * @param limit maximum number of objects
     * @param limitName name of the limit in the device attributes
     */
    public NumberTable(PortLock lock, int first, int limit, String limitName) {
        this.lock = lock;
        this.first = first;
        this.limit = limit;
        this.limitName = limitName;
    }

    /**
     * Creates an object with a free number. Any thread.
     *
     * @throws RdmaException ENOMEM if there are {@code limit} objects; or the exception of {@code maker}
     */
    public <S extends T> S add(IntFunction<S> maker) {
        return lock.exclusively(() -> make(maker));
    }

    private <S extends T> S make(IntFunction<S> maker) {
        int index = takeIndex();
        try {
            S object = maker.apply(first + index);
            slots[index] = object;
            return object;
        } catch (RuntimeException e) {
            free.addLast(index);
            throw e;
        }
    }

    /** Frees a number. Any thread. */
    public void remove(int number) {
        lock.exclusively(() -> {
            int index = number - first;
            slots[index] = null;
            free.addLast(index);
        });
    }

    /** The lock under which objects of the table change. */
    public PortLock lock() {
        return lock;
    }

    /** Returns the object with a number, or null; the number need not be valid. For the owner of the port loop. */
    @SuppressWarnings("unchecked") // add() stores only objects of type T
    public @Nullable T find(int number) {
        int index = number - first;
        return index >= 0 && index < slots.length ? (T) slots[index] : null;
    }

    private int takeIndex() {
        if (next < limit) {
            if (next == slots.length) {
                slots = Arrays.copyOf(slots, Math.min(limit, 2 * slots.length));
            }
            return next++;
        }
        Integer index = free.pollFirst();
        if (index == null) {
            throw new RdmaException(Errno.ENOMEM, "all " + limit + " of the device (" + limitName + ") are in use");
        }
        return index;
    }
}
