package io.rdma4j.verbs.spi;

/** An indirection table of receive queues. Any thread may call. */
public interface RwqTableOps extends AutoCloseable {
    /** {@code ibv_destroy_rwq_ind_table}; the queue pairs that used it have been closed. */
    @Override
    void close();
}
