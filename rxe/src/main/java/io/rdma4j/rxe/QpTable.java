package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs of a device by number. Belongs to the owner of the port loop.
 *
 * <p>Numbers begin at 17, as those of Linux rxe; that of the general services queue pair is 1 (IBA 3.9.1).
 */
final class QpTable {
    static final int FIRST_QPN = 0x11;
    private static final int GSI_QPN = 1;

    private final NumberTable<LoopQp> numbered;
    private @Nullable RxeQp gsi;

    /** @param limit queue pairs at once (max_qp) */
    QpTable(int limit) {
        numbered = new NumberTable<>(FIRST_QPN, limit, "max_qp");
    }

    /**
     * Makes a queue pair with a number of its own.
     *
     * @throws RdmaException ENOMEM if there are {@code limit} already
     */
    <Q extends LoopQp> Q add(IntFunction<Q> maker) {
        return numbered.add(maker);
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
            numbered.remove(qp.qpn());
        }
    }

    /** Every queue pair. */
    void forEach(Consumer<? super LoopQp> action) {
        if (gsi != null) {
            action.accept(gsi);
        }
        numbered.forEach(action);
    }

    /** The queue pair of a 24-bit number, or null; packets of the transport find no raw one. */
    @Nullable
    RxeQp find(int qpn) {
        if (qpn == GSI_QPN) {
            return gsi;
        }
        return numbered.find(qpn) instanceof RxeQp qp ? qp : null;
    }
}
