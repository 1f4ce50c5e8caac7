package io.rdma4j.verbs.spi;

/** A memory region. */
public interface MrOps extends AutoCloseable {
    /** Key for local use. */
    int lkey();

    /** Key for the peer. */
    int rkey();

    /**
     * {@code ibv_dereg_mr}: after it the device does not touch the memory any more.
     *
     * @throws io.rdma4j.base.RdmaException EBUSY while a memory window is bound to it; nothing has changed then
     */
    @Override
    void close();
}
