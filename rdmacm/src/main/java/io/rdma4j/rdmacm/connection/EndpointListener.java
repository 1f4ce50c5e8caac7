// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.AddressInfo;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A synchronous listener, which makes an {@link RdmaEndpoint} of each request. Corresponds to {@code rdma_create_ep}
 * with an own address. Any thread.
 *
 * {@snippet :
 * AddressInfo own = AddressInfo.find(null, "7471", AddressHints.NONE.with(AddressFlag.PASSIVE)).getFirst();
 * try (EndpointListener listener = EndpointListener.create(cm, own, null, attributes)) {
 *     listener.listen(0);
 *     try (RdmaEndpoint endpoint = listener.getRequest()) {
 *         endpoint.accept(ConnectParameters.DEFAULT);
 *     }
 * }
 * }
 */
public final class EndpointListener implements AutoCloseable {
    private final RdmaId id;
    private final @Nullable ProtectionDomain pd;
    private final @Nullable QpInitAttributes attributes;

    private EndpointListener(RdmaId id, @Nullable ProtectionDomain pd, @Nullable QpInitAttributes attributes) {
        this.id = id;
        this.pd = pd;
        this.attributes = attributes;
    }

    /**
     * Binds an own address.
     *
     * @param cm of the host
     * @param info with {@link AddressInfo#isPassive} and a source
     * @param pd of the queue pairs; null for the domain that all ids of the device share
     * @param attributes of the queue pairs, see {@link RdmaEndpoint#create}; null for no queue pairs
     * @return the listener, which does not listen yet; the caller closes it
     * @throws RdmaException EINVAL for the address of a peer; errors of {@link RdmaId#bindAddress}
     */
    public static EndpointListener create(
            RdmaCm cm, AddressInfo info, @Nullable ProtectionDomain pd, @Nullable QpInitAttributes attributes) {
        if (!info.isPassive() || info.source() == null) {
            throw new RdmaException(Errno.EINVAL, "no address of a listener, but " + info);
        }
        RdmaId id = cm.createId(null, info.portSpace(), info.qpType());
        try {
            id.bindAddress(info.source());
        } catch (RdmaException e) {
            id.close();
            throw e;
        }
        return new EndpointListener(id, pd, attributes);
    }

    /** {@return the id, for its options and addresses} */
    public RdmaId id() {
        return id;
    }

    /** {@return the own address and port} */
    public InetSocketAddress localAddress() {
        return id.localAddress();
    }

    /**
     * Starts to listen. Corresponds to {@code rdma_listen}.
     *
     * @param backlog maximum number of requests that wait for {@link #getRequest}; 1024 if it is greater or not
     *     positive
     * @throws RdmaException errors of {@link RdmaId#listen}
     */
    public void listen(int backlog) {
        id.listen(backlog);
    }

    /**
     * {@return the end of the next request, for which the call waits, with a queue pair; the program accepts it} The
     * caller closes it, which rejects a request that is not accepted. Corresponds to {@code rdma_get_request}.
     *
     * @throws RdmaException EINVAL if the listener does not listen or is closed; EINTR if the thread is interrupted;
     *     errors of {@link RdmaId#createQp}, after which the request is rejected
     */
    public RdmaEndpoint getRequest() {
        RdmaEndpoint endpoint = new RdmaEndpoint(id.getRequest());
        try {
            if (attributes != null) {
                endpoint.createQp(pd, attributes);
            }
            return endpoint;
        } catch (RdmaException e) {
            endpoint.close();
            throw e;
        }
    }

    /** Stops listening; requests that wait are rejected. Idempotent. Corresponds to {@code rdma_destroy_ep}. */
    @Override
    public void close() {
        id.close();
    }

    @Override
    public String toString() {
        return "listener " + id;
    }
}
