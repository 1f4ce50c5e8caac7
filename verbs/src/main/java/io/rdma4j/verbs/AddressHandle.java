package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.AhOps;
import io.rdma4j.verbs.spi.PdOps;

/**
 * A path for datagrams. Answers to {@code struct ibv_ah}.
 *
 * <p>Any thread may call. The caller of {@link ProtectionDomain#createAddressHandle} closes it; neither close nor modify it
 * before the requests that use it have completed.
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
public final class AddressHandle implements AutoCloseable {
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

    /** {@return the protection domain it belongs to: only its queue pairs may use it} Answers to {@code pd}. */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /** {@return what work requests name it by: 32 bits} Answers to {@code handle}. */
    public int handle() {
        return ops.handle();
    }

    /**
     * {@return where it leads} Answers to {@code ib_query_ah}.
     *
     * @throws RdmaException EINVAL if it is closed
     */
    public AddressVector query() {
        life.checkOpen();
        return vector;
    }

    /**
     * Lets it lead elsewhere. Answers to {@code ib_modify_ah}.
     *
     * @param changed as for {@link ProtectionDomain#createAddressHandle}; datagrams that are posted from now on go
     *     there
     * @throws RdmaException EINVAL for a vector that {@link ProtectionDomain#createAddressHandle} refuses, or if it is closed;
     *     EOPNOTSUPP if the device cannot
     */
    public synchronized void modify(AddressVector changed) {
        Arguments.present("vector", changed);
        life.checkUsable();
        PathCheck.check(pd.context(), changed);
        ops.modify(changed);
        vector = changed;
    }

    /** What a post checks before the device does. */
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

    /** Frees it. Idempotent. Answers to {@code ibv_destroy_ah}. */
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
