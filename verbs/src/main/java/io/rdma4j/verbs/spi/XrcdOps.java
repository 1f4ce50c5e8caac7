package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/**
 * An opening of an XRC domain: target queue pairs of the domain deliver to its shared receive queues, through whichever opening they were
 * made. Any thread may call.
 */
public interface XrcdOps extends AutoCloseable {
    /**
     * {@code ibv_open_qp}: one more handle of a target queue pair of the domain. The queue pair lives until all handles are closed, that of
     * {@link PdOps#createQp} among them.
     *
     * @param qpn its number
     * @param events where events of the queue pair are to be told, as to those of the other handles
     * @return the handle
     * @throws RdmaException ENOENT if the domain has no such target
     */
    default QpOps openQp(int qpn, QpEvents events) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device does not open queue pairs by their numbers");
    }

    /** {@code ibv_close_xrcd}; the queue pairs and shared receive queues of this opening have been closed. */
    @Override
    void close();
}
