package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Objects of a device by number: an array, because every packet asks. Belongs to the owner of the port loop.
 *
 * <p>A number that was given back is used again last.
 */
final class NumberTable<T> {
    private static final int INITIAL_SLOTS = 64;

    private final int first;
    private final int limit;
    private final String limitName;
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private @Nullable Object[] slots = new Object[INITIAL_SLOTS];
    private int next;

    /**
     * @param first number given
     * @param limit objects at once
     * @param limitName what the device's attributes call the limit
     */
    NumberTable(int first, int limit, String limitName) {
        this.first = first;
        this.limit = limit;
        this.limitName = limitName;
    }

    /**
     * Makes an object with a number of its own.
     *
     * @throws RdmaException ENOMEM if there are {@code limit} already; whatever the maker throws
     */
    <S extends T> S add(IntFunction<S> maker) {
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

    void remove(int number) {
        int index = number - first;
        slots[index] = null;
        free.addLast(index);
    }

    /** The object of any number, or null. */
    @SuppressWarnings("unchecked") // add() put nothing else in
    @Nullable
    T find(int number) {
        int index = number - first;
        return index >= 0 && index < slots.length ? (T) slots[index] : null;
    }

    /** Every object, by rising numbers. */
    @SuppressWarnings("unchecked") // add() put nothing else in
    void forEach(Consumer<? super T> action) {
        for (Object object : slots) {
            if (object != null) {
                action.accept((T) object);
            }
        }
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
