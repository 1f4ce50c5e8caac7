// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.AddressInfo;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.DatagramPeer;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.Sge;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A synchronous id with its queue pair and memory: {@code rdma_create_ep} and the calls of {@code rdma_verbs.h}. Any
 * thread; one thread at a time waits for completions of sends, and one for those of receives.
 *
 * {@snippet :
 * AddressInfo info = AddressInfo.find("10.0.0.2", "7471", null).getFirst();
 * try (RdmaEndpoint endpoint = RdmaEndpoint.create(cm, info, null, attributes)) {
 *     MemoryRegion message = endpoint.registerMessages(64);
 *     endpoint.connect(ConnectParameters.DEFAULT);
 *     endpoint.postSend(1, Set.of(SendFlag.SIGNALED), message.sge());
 *     WorkCompletion sent = endpoint.awaitSend();
 * }
 * }
 */
public final class RdmaEndpoint implements AutoCloseable {
    /** {@code RDMA_UDP_QKEY}. */
    private static final int QKEY = 0x0123_4567;

    private static final int RESOLVE_MS = 2000;

    private final RdmaId id;
    private final List<MemoryRegion> regions = Collections.synchronizedList(new ArrayList<>());
    /** Number of threads that wait for completions. */
    private final AtomicInteger waits = new AtomicInteger();

    /** @param id synchronous; owned by the endpoint */
    RdmaEndpoint(RdmaId id) {
        this.id = id;
    }

    /**
     * Makes the end of a connection to a peer: resolves address and route, and makes the queue pair. {@link #connect}
     * connects it. Corresponds to {@code rdma_create_ep}.
     *
     * @param cm of the host
     * @param info with a destination
     * @param pd of the queue pair; null for the domain that all ids of the device share
     * @param attributes of the queue pair, which gets the type of {@code info}; completion queues that are null are
     *     made. Null for no queue pair.
     * @return the endpoint; the caller closes it
     * @throws RdmaException EINVAL for addresses of a listener; errors of {@link RdmaId#resolveAddress} and {@link
     *     RdmaId#createQp}
     */
    public static RdmaEndpoint create(
            RdmaCm cm, AddressInfo info, @Nullable ProtectionDomain pd, @Nullable QpInitAttributes attributes) {
        if (info.isPassive() || info.destination() == null) {
            throw new RdmaException(Errno.EINVAL, "no address of a peer, but " + info);
        }
        RdmaEndpoint endpoint = new RdmaEndpoint(cm.createId(null, info.portSpace(), info.qpType()));
        try {
            endpoint.id.resolveAddress(info.source(), info.destination(), RESOLVE_MS);
            endpoint.id.resolveRoute(RESOLVE_MS);
            if (attributes != null) {
                endpoint.createQp(pd, attributes);
            }
            return endpoint;
        } catch (RdmaException e) {
            endpoint.close();
            throw e;
        }
    }

    void createQp(@Nullable ProtectionDomain pd, QpInitAttributes attributes) {
        id.createQp(
                pd,
                attributes.toBuilder(attributes.sendCq(), attributes.receiveCq())
                        .type(id.qpType())
                        .build());
    }

    /** {@return the id, for what this class does not offer} */
    public RdmaId id() {
        return id;
    }

    private QueuePair qp() {
        QueuePair qp = id.qp();
        if (qp == null) {
            throw new RdmaException(Errno.EINVAL, id + " has no queue pair");
        }
        return qp;
    }

    // Connection

    /**
     * Connects, and waits for the peer. Corresponds to {@code rdma_connect}.
     *
     * @param parameters of the connection
     * @throws RdmaException ECONNREFUSED if the peer rejects the connection, ETIMEDOUT if it does not answer; errors of
     *     {@link RdmaId#connect}
     */
    public void connect(ConnectParameters parameters) {
        id.connect(parameters);
    }

    /**
     * Accepts the request that made this endpoint, and waits for the peer. Corresponds to {@code rdma_accept}.
     *
     * @param parameters of the connection
     * @throws RdmaException errors of {@link RdmaId#accept}
     */
    public void accept(ConnectParameters parameters) {
        id.accept(parameters);
    }

    /**
     * Disconnects, and waits for the peer. Corresponds to {@code rdma_disconnect}.
     *
     * @throws RdmaException EINVAL if there never was a connection, ETIMEDOUT if the peer does not answer
     */
    public void disconnect() {
        id.disconnect();
    }

    // Memory

    /**
     * Allocates memory for messages, which exists as long as the endpoint. Corresponds to {@code rdma_reg_msgs}.
     *
     * @param lengthBytes its length
     * @return the region; closed by the endpoint, or earlier by the caller
     * @throws RdmaException errors of {@link ProtectionDomain#allocateMemory}
     */
    public MemoryRegion registerMessages(long lengthBytes) {
        return kept(id.queues().protectionDomain().allocateMemory(lengthBytes, Set.of(AccessFlag.LOCAL_WRITE)));
    }

    /**
     * Registers memory for messages. Corresponds to {@code rdma_reg_msgs}.
     *
     * @param memory of the program; lives longer than the region
     * @return the region; closed by the endpoint, or earlier by the caller
     * @throws RdmaException errors of {@link ProtectionDomain#registerMemory(MemorySegment, Set)}
     */
    public MemoryRegion registerMessages(MemorySegment memory) {
        return register(memory, Set.of(AccessFlag.LOCAL_WRITE));
    }

    /**
     * Registers memory that the peer reads. Corresponds to {@code rdma_reg_read}.
     *
     * @param memory of the program; lives longer than the region
     * @return the region; closed by the endpoint, or earlier by the caller
     * @throws RdmaException errors of {@link ProtectionDomain#registerMemory(MemorySegment, Set)}
     */
    public MemoryRegion registerRead(MemorySegment memory) {
        return register(memory, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ));
    }

    /**
     * Registers memory that the peer writes. Corresponds to {@code rdma_reg_write}.
     *
     * @param memory of the program; lives longer than the region
     * @return the region; closed by the endpoint, or earlier by the caller
     * @throws RdmaException errors of {@link ProtectionDomain#registerMemory(MemorySegment, Set)}
     */
    public MemoryRegion registerWrite(MemorySegment memory) {
        return register(memory, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
    }

    private MemoryRegion register(MemorySegment memory, Set<AccessFlag> access) {
        return kept(id.queues().protectionDomain().registerMemory(memory, access));
    }

    private MemoryRegion kept(MemoryRegion region) {
        regions.add(region);
        return region;
    }

    // Work requests

    /**
     * Posts a receive, to the shared receive queue if the id has one. Corresponds to {@code rdma_post_recv} and {@code
     * rdma_post_recvv}.
     *
     * @param wrId in the completion
     * @param sges where the message goes
     * @throws RdmaException EINVAL without queue pair; errors of {@link QueuePair#postReceive(ReceiveRequest...)}
     */
    public void postReceive(long wrId, Sge... sges) {
        ReceiveRequest request = ReceiveRequest.of(wrId, sges);
        SharedReceiveQueue srq = id.queues().srq();
        if (srq == null) {
            qp().postReceive(request);
        } else {
            srq.postReceive(request);
        }
    }

    /**
     * Posts a SEND. Corresponds to {@code rdma_post_send} and {@code rdma_post_sendv}.
     *
     * @param wrId in the completion
     * @param flags of the request
     * @param sges the message
     * @throws RdmaException EINVAL without queue pair; errors of {@link QueuePair#postSend(SendRequest...)}
     */
    public void postSend(long wrId, Set<SendFlag> flags, Sge... sges) {
        post(wrId, flags, SendRequest.send(), sges);
    }

    /**
     * Posts a SEND of bytes that are copied by the call. Corresponds to {@code rdma_post_send} without region.
     *
     * @param wrId in the completion
     * @param flags of the request
     * @param data the message: at most {@code max_inline_data} bytes
     * @throws RdmaException EINVAL without queue pair; errors of {@link QueuePair#postSend(SendRequest...)}
     */
    public void postInlineSend(long wrId, Set<SendFlag> flags, MemorySegment data) {
        post(wrId, flags, SendRequest.send().inlineData(data));
    }

    /**
     * Posts a READ of memory of the peer. Corresponds to {@code rdma_post_read} and {@code rdma_post_readv}.
     *
     * @param wrId in the completion
     * @param flags of the request
     * @param source address and key at the peer; as many bytes are read as {@code sges} take
     * @param sges where the data goes
     * @throws RdmaException EINVAL without queue pair; errors of {@link QueuePair#postSend(SendRequest...)}
     */
    public void postRead(long wrId, Set<SendFlag> flags, RemoteMemory source, Sge... sges) {
        post(wrId, flags, SendRequest.rdmaRead(source.rkey(), source.address()), sges);
    }

    /**
     * Posts a WRITE to memory of the peer. Corresponds to {@code rdma_post_write} and {@code rdma_post_writev}.
     *
     * @param wrId in the completion
     * @param flags of the request
     * @param destination address and key at the peer; as many bytes are written as {@code sges} have
     * @param sges the data
     * @throws RdmaException EINVAL without queue pair; errors of {@link QueuePair#postSend(SendRequest...)}
     */
    public void postWrite(long wrId, Set<SendFlag> flags, RemoteMemory destination, Sge... sges) {
        post(wrId, flags, SendRequest.rdmaWrite(destination.rkey(), destination.address()), sges);
    }

    /**
     * Posts a datagram. Corresponds to {@code rdma_post_ud_send}.
     *
     * @param wrId in the completion
     * @param flags of the request
     * @param path to the peer
     * @param remoteQpn queue pair of the peer: {@link DatagramPeer#qpn}
     * @param sges the message
     * @throws RdmaException EINVAL without queue pair; errors of {@link QueuePair#postSend(SendRequest...)}
     */
    public void postDatagram(long wrId, Set<SendFlag> flags, AddressHandle path, int remoteQpn, Sge... sges) {
        post(wrId, flags, SendRequest.send().destination(path, remoteQpn, QKEY), sges);
    }

    private void post(long wrId, Set<SendFlag> flags, SendRequest.Builder request, Sge... sges) {
        for (Sge sge : sges) {
            request.sge(sge);
        }
        qp().postSend(request.wrId(wrId).flags(flags).build());
    }

    // Completions

    /**
     * {@return the next completion of a send, for which the call waits} Corresponds to {@code rdma_get_send_comp}.
     *
     * @throws InterruptedException if the thread is interrupted
     * @throws RdmaException EINVAL if the id has made no completion queue for sends, or is closed
     */
    public WorkCompletion awaitSend() throws InterruptedException {
        return next("send", id.queues().sendCq());
    }

    /**
     * {@return the next completion of a receive, for which the call waits} Corresponds to {@code rdma_get_recv_comp}.
     *
     * @throws InterruptedException if the thread is interrupted
     * @throws RdmaException EINVAL if the id has made no completion queue for receives, or is closed
     */
    public WorkCompletion awaitReceive() throws InterruptedException {
        return next("receive", id.queues().receiveCq());
    }

    private WorkCompletion next(String name, @Nullable CompletionQueue cq) throws InterruptedException {
        if (cq == null) {
            throw new RdmaException(Errno.EINVAL, id + " has no own " + name + " completion queue");
        }
        waits.incrementAndGet();
        try {
            return CompletionWait.next(cq);
        } finally {
            waits.decrementAndGet();
        }
    }

    /**
     * Ends the connection, closes the memory and the id with its queues. Threads that wait for completions throw
     * EINVAL. Idempotent. Corresponds to {@code rdma_destroy_ep}.
     */
    @Override
    public void close() {
        while (!destroyQp()) {
            Thread.onSpinWait();
        }
        regions.forEach(MemoryRegion::close);
        regions.clear();
        id.close();
    }

    /** False if a thread that waits for completions has fetched an event and is about to acknowledge it. */
    private boolean destroyQp() {
        boolean isAwaited = waits.get() > 0;
        try {
            id.destroyQp();
            return true;
        } catch (RdmaException e) {
            isAwaited |= waits.get() > 0;
            if (e.errno() != Errno.EBUSY || !isAwaited) {
                throw e;
            }
            return false;
        }
    }

    @Override
    public String toString() {
        return "endpoint " + id;
    }
}
