package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.AddressVector;

/** An address handle. Any thread may call. */
public interface AhOps extends AutoCloseable {
    /**
     * {@return what work requests name it by: 32 bits, found without a map on the data path} The device must not trust
     * a handle that it reads from a queue, nor that it is of the queue pair's protection domain.
     */
    int handle();

    /**
     * {@code ib_modify_ah}: later sends go to {@code vector}, whose values have been checked.
     *
     * @param vector from a port and a GID that are there
     * @throws RdmaException EOPNOTSUPP if the provider cannot
     */
    default void modify(AddressVector vector) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device does not modify address handles");
    }

    /** {@code ibv_destroy_ah}. */
    @Override
    void close();
}
