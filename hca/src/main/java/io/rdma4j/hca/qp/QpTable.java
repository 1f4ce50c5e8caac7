// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.transport.memory.NumberSequence;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs of a device by number. For the owner of the port loop only.
 *
 * <p>Numbers come from a {@link NumberSequence}. Numbers below 17 are not used, as in Linux rxe; the queue pairs of
 * subnet management and of the general services have the numbers 0 and 1 (IBA 3.9.1). The low bits of a number are the
 * index in the table, and a number whose index is occupied is skipped. The table doubles before it is more than half
 * full. Therefore a lookup needs one array access.
 */
public final class QpTable {
    public static final int FIRST_QPN = 0x11;
    static final int SMI_QPN = 0;
    static final int GSI_QPN = 1;

    /** Destination of multicast datagrams. */
    private static final int MULTICAST_QPN = 0xFF_FFFF;

    private static final int INITIAL_SLOTS = 64;

    private final int limit;
    private final NumberSequence numbers;
    private @Nullable LoopQp[] slots = new LoopQp[INITIAL_SLOTS];
    private int count;
    /** Queue pairs 0 and 1. */
    private final @Nullable HcaQp[] special = new HcaQp[2];

    /**
     * @param limit maximum number of queue pairs (max_qp), below 2^23
     * @param numbers source of their numbers
     */
    public QpTable(int limit, NumberSequence numbers) {
        this.limit = limit;
        this.numbers = numbers;
    }

    /**
     * Creates a queue pair with a free number.
     *
     * @throws RdmaException ENOMEM if there are {@code limit} queue pairs
     */
    public <Q extends LoopQp> Q add(IntFunction<Q> maker) {
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

    /** Doubles the table. Queue pairs with different indices have different indices with one more bit, too. */
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
     * Creates the queue pair of subnet management or that of the general services.
     *
     * @param qpn {@link #SMI_QPN} or {@link #GSI_QPN}
     * @throws RdmaException EBUSY if it exists already
     */
    HcaQp addSpecial(int qpn, IntFunction<HcaQp> maker) {
        if (special[qpn] != null) {
            throw new RdmaException(
                    Errno.EBUSY,
                    "the port has a " + (qpn == GSI_QPN ? "general services" : "subnet management")
                            + " queue pair already: one is all");
        }
        HcaQp qp = maker.apply(qpn);
        special[qpn] = qp;
        return qp;
    }

    public void remove(LoopQp qp) {
        if (qp.qpn() <= GSI_QPN) {
            special[qp.qpn()] = null;
        } else {
            slots[place(qp.qpn())] = null;
            count--;
        }
    }

    public void forEach(Consumer<? super LoopQp> action) {
        for (HcaQp qp : special) {
            if (qp != null) {
                action.accept(qp);
            }
        }
        for (LoopQp qp : slots) {
            if (qp != null) {
                action.accept(qp);
            }
        }
    }

    /** Returns the queue pair with a number, or null; raw queue pairs are not found. */
    public @Nullable HcaQp find(int qpn) {
        if (qpn >>> 1 == 0) {
            return special[qpn];
        }
        return slots[place(qpn)] instanceof HcaQp qp && qp.qpn() == qpn ? qp : null;
    }
}
