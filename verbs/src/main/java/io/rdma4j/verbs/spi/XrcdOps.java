package io.rdma4j.verbs.spi;

/** An XRC domain: its target queue pairs deliver to its shared receive queues. Any thread may call. */
public interface XrcdOps extends AutoCloseable {
    /** {@code ibv_close_xrcd}; its queue pairs and shared receive queues have been closed. */
    @Override
    void close();
}
