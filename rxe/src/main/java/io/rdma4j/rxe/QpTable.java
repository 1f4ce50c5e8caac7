package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.transport.NumberSequence;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs of a device by number. Belongs to the owner of the port loop.
 *
 * <p>Numbers come from a {@link NumberSequence}; those below 17 are not used, as in Linux rxe, and that of the general services
 * queue pair is 1 (IBA 3.9.1). The low bits of a number are the place in the table: numbers whose place is taken are passed over, and
 * the table doubles before it is more than half full. So a packet's queue pair is found by one array access.
 */
final class QpTable {
    static final int FIRST_QPN = 0x11;
    private static final int GSI_QPN = 1;

    /** Stands for all queue pairs of a multicast group. */
    private static final int MULTICAST_QPN = 0xFF_FFFF;

    private static final int INITIAL_SLOTS = 64;

    private final int limit;
    private final NumberSequence numbers;
    private @Nullable LoopQp[] slots = new LoopQp[INITIAL_SLOTS];
    private int count;
    private @Nullable RxeQp gsi;

    /**
     * @param limit queue pairs at once (max_qp), below 2^23
     * @param numbers where their numbers come from
     */
    QpTable(int limit, NumberSequence numbers) {
        this.limit = limit;
        this.numbers = numbers;
    }

    /**
     * Makes a queue pair with a number of its own.
     *
     * @throws RdmaException ENOMEM if there are {@code limit} already
     */
    <Q extends LoopQp> Q add(IntFunction<Q> maker) {
        if (count == limit) {
            throw new RdmaException(Errno.ENOMEM, "all " + limit + " of the device (max_qp) are in use");
        }
        if (2 * count >= slots.length) {
            grow();
        }
        int qpn = numbers.next();
        while (qpn < FIRST_QPN || qpn == MULTICAST_QPN || slots[place(qpn)] != null) {
            qpn = numbers.next();
        }
        Q qp = maker.apply(qpn);
        slots[place(qpn)] = qp;
        count++;
        return qp;
    }

    private int place(int qpn) {
        return qpn & slots.length - 1;
    }

    /** Queue pairs that had places of their own have them by one more bit of their numbers, too. */
    private void grow() {
        @Nullable LoopQp[] old = slots;
        slots = new LoopQp[2 * old.length];
        for (LoopQp qp : old) {
            if (qp != null) {
                slots[place(qp.qpn())] = qp;
            }
        }
    }

    /**
     * Makes the general services queue pair.
     *
     * @throws RdmaException EBUSY if there is one
     */
    RxeQp addGsi(IntFunction<RxeQp> maker) {
        if (gsi != null) {
            throw new RdmaException(Errno.EBUSY, "the port has a general services queue pair already: one is all");
        }
        RxeQp qp = maker.apply(GSI_QPN);
        gsi = qp;
        return qp;
    }

    void remove(LoopQp qp) {
        if (qp.qpn() == GSI_QPN) {
            gsi = null;
        } else {
            slots[place(qp.qpn())] = null;
            count--;
        }
    }

    /** Every queue pair. */
    void forEach(Consumer<? super LoopQp> action) {
        if (gsi != null) {
            action.accept(gsi);
        }
        for (LoopQp qp : slots) {
            if (qp != null) {
                action.accept(qp);
            }
        }
    }

    /** The queue pair of a 24-bit number, or null; packets of the transport find no raw one. */
    @Nullable
    RxeQp find(int qpn) {
        if (qpn == GSI_QPN) {
            return gsi;
        }
        return slots[place(qpn)] instanceof RxeQp qp && qp.qpn() == qpn ? qp : null;
    }
}
