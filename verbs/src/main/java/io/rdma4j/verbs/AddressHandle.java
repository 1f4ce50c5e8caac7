// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.spi.AhOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.state.PathCheck;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.wr.SendBatch;

/**
 * Holds the path of datagrams to one peer or multicast group. Corresponds to {@code struct ibv_ah}.
 *
 * <p>Any thread. The caller of {@link ProtectionDomain#createAddressHandle} closes the handle. The application must not
 * close or modify it before the requests that use it have completed.
 *
 * {@snippet :
 * try (AddressHandle path = pd.createAddressHandle(AddressVector.roce(1, peerGid, 0))) {
 *     qp.postSend(SendRequest.send()
 *             .destination(path, peerQpn, qkey)
 *             .sge(mr.sge(0, 1024))
 *             .signaled()
 *             .build());
 *     // path stays open until the request has completed
 * }
 * }
 */
public final class AddressHandle implements SendBatch.Path, AutoCloseable {
    private final ProtectionDomain pd;
    private final AhOps ops;
    private final Lifecycle life;
    private final boolean enforcesPort;
    private volatile AddressVector vector;

    AddressHandle(ProtectionDomain pd, AddressVector vector, PdOps pdOps) {
        this.pd = pd;
        this.vector = vector;
        this.ops = pdOps.createAddressHandle(vector);
        this.life = new Lifecycle(ObjectKind.ADDRESS_HANDLE + " " + ops.handle(), pd.life());
        this.enforcesPort = pd.context().queryDevice().has(DeviceCapability.UD_AV_PORT_ENFORCE);
    }

    /**
     * {@return the protection domain of the handle; only queue pairs of this domain may use it} Corresponds to
     * {@code pd}.
     */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /** {@return the number of the handle in work requests: 32 bits} Corresponds to {@code handle}. */
    @Override
    public int handle() {
        return ops.handle();
    }

    /**
     * {@return the current path} Corresponds to {@code ib_query_ah}.
     *
     * @throws RdmaException EINVAL if the handle is closed
     */
    public AddressVector query() {
        life.checkOpen();
        return vector;
    }

    /**
     * Changes the path. Corresponds to {@code ib_modify_ah}.
     *
     * @param changed the new path, used by all datagrams that are posted after this call
     * @throws RdmaException EINVAL for a vector that {@link ProtectionDomain#createAddressHandle} rejects, or if the
     *     handle is closed; EOPNOTSUPP if the device does not support the call
     */
    public synchronized void modify(AddressVector changed) {
        Arguments.present("vector", changed);
        life.checkUsable();
        PathCheck.check(pd.context().ports(), changed);
        ops.modify(changed);
        vector = changed;
    }

    /** Checks that a queue pair may use the handle, before the request is written to the ring. */
    void check(QueuePair qp) {
        life.checkOpen();
        if (qp.protectionDomain() != pd) {
            throw new RdmaException(Errno.EINVAL, this + " and " + qp + " are of different protection domains");
        }
        int port = vector.port();
        if (enforcesPort && port != qp.port()) {
            throw new RdmaException(
                    Errno.EINVAL, this + " leads out of port " + port + ", " + qp + " is at port " + qp.port());
        }
    }

    /** Destroys the handle. Idempotent. Corresponds to {@code ibv_destroy_ah}. */
    @Override
    public void close() {
        if (life.close(ops::close)) {
            pd.destroyed(ObjectKind.ADDRESS_HANDLE, this);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
