package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs of a device by number: an array, because every packet asks. Belongs to the owner of the port loop.
 *
 * <p>Numbers begin at 17, as those of Linux rxe; a number that was given back is used again last.
 */
final class QpTable {
    static final int FIRST_QPN = 0x11;
    private static final int INITIAL_SLOTS = 64;

    private final int limit;
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private @Nullable RxeQp[] slots = new RxeQp[INITIAL_SLOTS];
    private int next;

    /** @param limit queue pairs at once (max_qp) */
    QpTable(int limit) {
        this.limit = limit;
    }

    /**
     * Makes a queue pair with a number of its own.
     *
     * @throws RdmaException ENOMEM if there are {@code limit} already
     */
    RxeQp add(IntFunction<RxeQp> maker) {
        int index = takeIndex();
        RxeQp qp = maker.apply(FIRST_QPN + index);
        slots[index] = qp;
        return qp;
    }

    void remove(RxeQp qp) {
        int index = qp.qpn() - FIRST_QPN;
        slots[index] = null;
        free.addLast(index);
    }

    /** The queue pair of a 24-bit number, or null. */
    @Nullable
    RxeQp find(int qpn) {
        int index = qpn - FIRST_QPN;
        return index >= 0 && index < slots.length ? slots[index] : null;
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
            throw new RdmaException(Errno.ENOMEM, "all " + limit + " queue pairs of the device (max_qp) are in use");
        }
        return index;
    }
}
