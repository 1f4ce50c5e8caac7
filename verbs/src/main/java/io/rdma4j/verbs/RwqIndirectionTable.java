// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.core.Uses;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.spi.RwqTableOps;
import java.util.List;

/**
 * Receive work queues over which a queue pair distributes received packets (RSS), by a device-specific hash.
 * Corresponds to {@code struct ibv_rwq_ind_table}.
 *
 * <p>Any thread. The caller of {@link Context#createRwqIndirectionTable} closes it, after the queue pairs that use it.
 */
public final class RwqIndirectionTable implements AutoCloseable {
    private final Context context;
    private final List<WorkQueue> queues;
    private final RwqTableOps ops;
    private final Uses uses;
    private final Lifecycle life;

    /**
     * @param uses the queues
     */
    private RwqIndirectionTable(Context context, List<WorkQueue> queues, Uses uses) {
        this.context = context;
        this.queues = queues;
        this.uses = uses;
        this.life = new Lifecycle(ObjectKind.RWQ_INDIRECTION_TABLE + " " + context.nextHandle(), context.life());
        this.ops = context.ops()
                .createRwqIndirectionTable(queues.stream().map(WorkQueue::ops).toList());
    }

    /** See {@link Context#createRwqIndirectionTable}, which has checked that the device supports tables. */
    static RwqIndirectionTable create(Context context, List<WorkQueue> queues) {
        if (Integer.bitCount(queues.size()) != 1) {
            throw new RdmaException(
                    Errno.EINVAL, "a table of " + queues.size() + " receive queues: that is no power of two");
        }
        long max = context.queryDevice().limit(DeviceLimit.MAX_RWQ_INDIRECTION_TABLE_SIZE);
        Arguments.range("rwq_ind_tbl_size", queues.size(), 1, max);
        queues.forEach(queue -> context.checkSame(queue.context(), queue));
        return Uses.admit(
                ObjectKind.RWQ_INDIRECTION_TABLE,
                uses -> context.admission()
                        .create(
                                ObjectKind.RWQ_INDIRECTION_TABLE,
                                DeviceLimit.MAX_RWQ_INDIRECTION_TABLES,
                                () -> new RwqIndirectionTable(context, queues, uses)),
                queues.stream().distinct().map(WorkQueue::life).toArray(Lifecycle[]::new));
    }

    /** {@return the context that it was created from} */
    public Context context() {
        return context;
    }

    /**
     * {@return its entries in order; their number is a power of two, and a queue may occur several times; unmodifiable}
     */
    public List<WorkQueue> queues() {
        return queues;
    }

    Lifecycle life() {
        return life;
    }

    RwqTableOps ops() {
        return ops;
    }

    /**
     * Destroys the table. Idempotent. Corresponds to {@code ibv_destroy_rwq_ind_table}.
     *
     * @throws RdmaException EBUSY while a queue pair uses it
     */
    @Override
    public void close() {
        if (life.close(ops::close)) {
            uses.release();
            context.admission().destroyed(ObjectKind.RWQ_INDIRECTION_TABLE, this);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
