// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.core.EventCounter;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.state.ConnectionSteps;
import io.rdma4j.verbs.state.QpAttributeCheck;
import io.rdma4j.verbs.state.QpStateTable;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.DataOrder;
import io.rdma4j.verbs.wr.ReceiveBatch;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.WrOpcode;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A send queue and a receive queue with a transport service. Corresponds to {@code struct ibv_qp}.
 *
 * <p>Any thread. Threads that post to the same queue exclude each other, and so do calls of {@link #modify}. The caller
 * of {@link ProtectionDomain#createQp} or {@link XrcDomain#openQp} closes it.
 *
 * {@snippet :
 * QueuePair qp = pd.createQp(QpInitAttributes.builder(cq).build());
 * QpAddress own = QpAddress.of(qp);
 * qp.connect(own, exchange(own));   // the peer does the same
 * qp.postSend(SendRequest.send().wrId(1).signaled().sge(mr.sge(0, 4096)).build());
 * qp.startSend().wrId(2).signaled().send().sge(mr.lkey(), mr.iova(), 4096).complete();   // allocates nothing
 * }
 */
public final class QueuePair implements ReceiveRequest.Poster, AutoCloseable {
    private static final int MULTICAST_LID_BASE = 0xC000;
    private static final int PERMISSIVE_LID = 0xFFFF;

    private final RealQueuePair real;
    private final QpOps ops;
    private final QpInitAttributes initAttributes;
    private final EventCounter asyncEventCounter = new EventCounter("asynchronous events");
    private final Lifecycle life;

    QueuePair(RealQueuePair real, QpInitAttributes attributes) {
        this.real = real;
        this.ops = real.ops();
        this.initAttributes = attributes;
        this.life = new Lifecycle(real, real.parent());
    }

    void dispatch(EventType type) {
        context().asyncEvents().dispatch(AsyncEvent.of(type, this), initAttributes.eventHandler());
    }

    /**
     * {@return the protection domain} Corresponds to {@code pd}.
     *
     * @throws RdmaException EINVAL for an XRC target that was opened by its number
     */
    public ProtectionDomain protectionDomain() {
        ProtectionDomain pd = real.pd();
        if (pd == null) {
            throw new RdmaException(Errno.EINVAL, this + " was opened by its number: it has no protection domain");
        }
        return pd;
    }

    /** {@return the context that it was created from} Corresponds to {@code context}. */
    public Context context() {
        return real.context();
    }

    /** {@return the queue pair number: 24 bits} Corresponds to {@code qp_num}. */
    public int qpn() {
        return ops.qpn();
    }

    /**
     * {@return the attributes of its creation, with the actual sizes} Corresponds to the second result of
     * {@code ibv_query_qp}.
     */
    public QpInitAttributes initAttributes() {
        return initAttributes.withCapabilities(ops.capabilities());
    }

    /** {@return the object that the application attached} Corresponds to {@code qp_context}. */
    public @Nullable Object userContext() {
        return initAttributes.userContext();
    }

    /** {@return the present state; the device may change it to SQE or ERR at any time} Corresponds to {@code state}. */
    public QpState state() {
        return ops.state();
    }

    /**
     * {@return the present values of all attributes} Corresponds to {@code ibv_query_qp}.
     *
     * @throws RdmaException EINVAL if it is closed, EIO once the device is removed
     */
    public QpAttributes query() {
        life.checkUsable();
        return ops.query();
    }

    /**
     * {@return the order in which the device writes the bytes of an operation to memory} With such a guarantee an
     * application can poll the last bytes of a message instead of waiting for a completion. Corresponds to
     * {@code ibv_query_qp_data_in_order} with {@code RETURN_CAPS}; without it, {@link DataOrder#WHOLE_MESSAGE} is the
     * result 1.
     *
     * @param opcode of the operation
     * @throws RdmaException EINVAL if it is closed, EIO once the device is removed
     */
    public Set<DataOrder> queryDataInOrder(WrOpcode opcode) {
        Arguments.present("opcode", opcode);
        life.checkUsable();
        return ops.dataOrder(opcode);
    }

    /**
     * Changes attributes, which may include the state. Corresponds to {@code ibv_modify_qp}. On an error nothing has
     * changed. Attributes of the half that an XRC queue pair does not have are ignored. {@link QpState#RESET} also
     * removes the completions of the queue pair that wait in its completion queues.
     *
     * <p>{@link QpAttribute#CAP} resizes the queues, in any state. Posted requests stay posted and keep their order.
     * The numbers of scatter/gather elements and of inline bytes may not grow. The calling thread must have no open
     * batch of {@link #startSend} or {@link #startReceive}.
     *
     * @param attributes the attributes to change; the others keep their values
     * @throws RdmaException EINVAL for a transition or an attribute that the state table does not allow, a value
     *     out of range, a queue smaller than the number of its posted requests, or a present state other than
     *     {@link QpAttribute#CUR_STATE}; EOPNOTSUPP for {@link QpAttribute#RATE_LIMIT}, for {@link QpAttribute#CAP},
     *     {@link QpAttribute#CUR_STATE} or a change of the port in SQD if the device does not support it; EACCES for a
     *     partition that the host's {@link PartitionPolicy} denies; EBUSY after a change to RESET in an event handler
     *     while another thread polls a completion queue: the completions stay there
     */
    public void modify(QpAttributes attributes) {
        Arguments.present("attributes", attributes);
        synchronized (real) {
            life.checkUsable();
            QpAttributes relevant = attributes.relevant(initAttributes.type());
            check(relevant);
            ops.modify(relevant);
            if (relevant.has(QpAttribute.STATE) && relevant.state() == QpState.RESET) {
                real.discardCompletions();
            }
            if (relevant.has(QpAttribute.PORT)) {
                real.port(relevant.port());
            }
        }
    }

    /**
     * Connects the queue pair to a peer with the default attributes of {@link #connect(QpAddress, QpAddress,
     * QpAttributes)}.
     *
     * @param own this queue pair's address, as sent to the peer
     * @param peer the address that the peer sent
     * @throws RdmaException as {@link #connect(QpAddress, QpAddress, QpAttributes)}
     */
    public void connect(QpAddress own, QpAddress peer) {
        connect(own, peer, QpAttributes.builder().build());
    }

    /**
     * Moves the queue pair to RTS by calls of {@link #modify} to INIT, RTR and RTS. For RC, UC and XRC, from RESET or
     * INIT; in INIT the application can post receives first. The peer makes the same call. A reliable queue pair
     * retransmits packets that the peer received before it was ready. Verbs have no such call: C programs modify the
     * states themselves or call {@code rdma_connect}.
     *
     * <p>Defaults that {@code changes} can override:
     *
     * <ul>
     *   <li>P_Key index 0 and all three remote access rights; the rights of the memory still apply.
     *   <li>Path MTU 1024, and 4 outstanding READs and atomics. Both peers must use the same values.
     *   <li>ACK timeout 268 ms (timeout 16) and 7 retries, so that the connection survives a peer that is stopped for 5
     *       s.
     *   <li>Unlimited RNR retries (rnr_retry 7) and an RNR delay of 0.64 ms for the peer (min_rnr_timer 12).
     * </ul>
     *
     * @param own this queue pair's address, as sent to the peer; its GID selects the port and the slot of the GID table
     * @param peer the address that the peer sent
     * @param changes values that replace defaults, and optional attributes; each is set with the first transition that
     *     allows it
     * @throws RdmaException EINVAL if {@code own} has another QPN or its GID is in no table, for other types and
     *     states, or for an attribute that no transition allows; nothing has changed then. Errors of {@link #modify}:
     *     the queue pair keeps the state of the last successful transition.
     */
    public void connect(QpAddress own, QpAddress peer, QpAttributes changes) {
        Arguments.present("own", own);
        Arguments.present("peer", peer);
        Arguments.present("changes", changes);
        life.checkUsable();
        if (own.qpn() != qpn()) {
            throw new RdmaException(Errno.EINVAL, own + " is not the address of " + this);
        }
        GidEntry source = context()
                .findGid(own.gid())
                .orElseThrow(() -> new RdmaException(Errno.EINVAL, own.gid() + " is no GID of " + context()));
        QpAttributes addresses = QpAttributes.builder()
                .port(source.port())
                .addressVector(AddressVector.roce(source.port(), peer.gid(), source.index()))
                .destinationQpn(peer.qpn())
                .rqPsn(peer.psn())
                .sqPsn(own.psn())
                .build();
        synchronized (real) {
            ConnectionSteps.of(toString(), initAttributes.type(), state(), addresses, changes)
                    .forEach(this::modify);
        }
    }

    private void check(QpAttributes attributes) {
        if (attributes.has(QpAttribute.RATE_LIMIT)) {
            throw new RdmaException(Errno.EOPNOTSUPP, this + ": packet pacing (RATE_LIMIT) is not supported");
        }
        Set<QpAttribute> mask = EnumSet.noneOf(QpAttribute.class);
        mask.addAll(attributes.mask());
        if (mask.remove(QpAttribute.CAP)) {
            // CAP is allowed in any state, so the state table does not check it.
            context().admission().require(DeviceCapability.RESIZE_MAX_WR);
        }
        if (mask.contains(QpAttribute.CUR_STATE)) {
            context().admission().require(DeviceCapability.CURR_QP_STATE_MOD);
        }
        QpState actual = ops.state();
        QpState from = attributes.has(QpAttribute.CUR_STATE) ? attributes.currentState() : actual;
        QpState to = attributes.has(QpAttribute.STATE) ? attributes.state() : from;
        QpStateTable.check(initAttributes.type(), from, to, mask);
        if (from != actual) {
            throw new RdmaException(Errno.EINVAL, this + " is in " + actual + ", not in " + from + " as assumed");
        }
        if (attributes.has(QpAttribute.PORT) && actual == QpState.SQD && attributes.port() != real.port()) {
            context().admission().require(DeviceCapability.CHANGE_PHY_PORT);
        }
        new QpAttributeCheck(context().state(), attributes).values(real.port());
    }

    /** Port of the primary path, from 1; 0 if not set. */
    int port() {
        return real.port();
    }

    /**
     * Posts send requests. Corresponds to {@code ibv_post_send}; {@link #startSend} does the same without allocation.
     *
     * @param requests in the order of execution
     * @throws BadWorkRequestException at the first rejected request: EINVAL for a wrong state, an operation or a flag
     *     that the type does not have, too many scatter/gather elements or inline bytes, a message above 2^31 bytes,
     *     objects that are closed or of another domain; EOPNOTSUPP for an operation that the device does not support;
     *     ENOMEM if the queue is full. The requests before it stay posted.
     */
    public void postSend(SendRequest... requests) {
        postSend(Arguments.allPresent("requests", requests));
    }

    /**
     * Posts send requests, as {@link #postSend(SendRequest...)}.
     *
     * @param requests in the order of execution; the list is read only during the call
     * @throws BadWorkRequestException as {@link #postSend(SendRequest...)}
     */
    public void postSend(List<SendRequest> requests) {
        Arguments.allPresent("requests", requests);
        for (int i = 0; i < requests.size(); i++) {
            SendRequest request = requests.get(i);
            try {
                post(request);
            } catch (RdmaException e) {
                throw new BadWorkRequestException(i, request, e);
            }
        }
    }

    void post(SendRequest request) {
        request.checkObjects(this);
        SendBatch batch = startSend();
        try {
            request.addTo(batch);
        } catch (RuntimeException e) {
            batch.abort();
            throw e;
        }
        batch.complete();
    }

    /**
     * Posts receive requests. Corresponds to {@code ibv_post_recv}; {@link #startReceive} does the same without
     * allocation.
     *
     * @param requests in the order of execution
     * @throws BadWorkRequestException at the first rejected request: EINVAL in RESET, for too many scatter/gather
     *     elements, or for 2^31 bytes and more; ENOMEM if the queue is full. The requests before it stay posted.
     */
    public void postReceive(ReceiveRequest... requests) {
        postReceive(Arguments.allPresent("requests", requests));
    }

    /**
     * Posts receive requests, as {@link #postReceive(ReceiveRequest...)}.
     *
     * @param requests in the order of execution; the list is read only during the call
     * @throws BadWorkRequestException as {@link #postReceive(ReceiveRequest...)}
     */
    public void postReceive(List<ReceiveRequest> requests) {
        ReceiveRequest.post(requests, this);
    }

    /**
     * Begins a batch of sends. The calling thread must complete or abort it soon, because other threads that post to
     * this queue spin until then. Corresponds to {@code ibv_wr_start}. Allocates nothing.
     *
     * @return the batch object of the send queue, always the same; this thread must complete or abort it
     * @throws RdmaException EINVAL if the queue pair is closed or an XRC target
     */
    public SendBatch startSend() {
        life.checkOpen();
        if (initAttributes.type() == QpType.XRC_TGT) {
            throw new RdmaException(Errno.EINVAL, this + " is an XRC target: it has no send queue");
        }
        return ops.startSend();
    }

    /**
     * Begins a batch of receives. The calling thread must complete or abort it soon, because other threads that post to
     * this queue spin until then. Allocates nothing.
     *
     * @return the batch object of the receive queue, always the same; this thread must complete or abort it
     * @throws RdmaException EINVAL if the queue pair is closed or has no receive queue of its own
     */
    @Override
    public ReceiveBatch startReceive() {
        life.checkOpen();
        if (initAttributes.srq() != null) {
            throw new RdmaException(Errno.EINVAL, this + " uses " + initAttributes.srq() + ": post receives there");
        }
        if (initAttributes.rwqIndirectionTable() != null) {
            throw new RdmaException(
                    Errno.EINVAL,
                    this + " uses " + initAttributes.rwqIndirectionTable() + ": post receives to its queues");
        }
        if (!initAttributes.type().hasReceiveQueue()) {
            throw new RdmaException(
                    Errno.EINVAL, this + " is of type " + initAttributes.type() + ": it has no receive queue");
        }
        return ops.startReceive();
    }

    /**
     * Tells the device that another process has written requests into the shared queues, see
     * {@link QpInitAttributes#queueMemory}. Corresponds to {@code IB_USER_VERBS_CMD_POST_SEND} without work requests,
     * as the rxe library of rdma-core uses it.
     *
     * @throws RdmaException EINVAL if it is closed, EOPNOTSUPP if the device does not share its queues
     */
    public void ringDoorbell() {
        life.checkOpen();
        ops.ringDoorbell();
    }

    /**
     * Attaches the queue pair to a multicast group; other queue pairs of the group stay attached. On InfiniBand the
     * application must also join the group at the subnet administrator. Corresponds to {@code ibv_attach_mcast}.
     *
     * @param group MGID
     * @param lid MLID of the group on InfiniBand; ignored on Ethernet
     * @throws RdmaException EINVAL if this is neither a UD nor a raw queue pair, for a GID or LID that is not
     *     multicast; EOPNOTSUPP if the device does not support multicast, or not for raw queue pairs; ENOMEM at its
     *     limits
     */
    public void attachMulticast(Gid group, int lid) {
        checkMulticast(group, lid);
        real.attach(group, lid);
    }

    /**
     * Detaches the queue pair from a multicast group; closing the queue pair detaches it from all groups. Corresponds
     * to {@code ibv_detach_mcast}.
     *
     * @param group MGID
     * @param lid MLID of {@link #attachMulticast}
     * @throws RdmaException EINVAL if it is not attached, and as for {@link #attachMulticast}
     */
    public void detachMulticast(Gid group, int lid) {
        checkMulticast(group, lid);
        real.detach(group, lid);
    }

    private void checkMulticast(Gid group, int lid) {
        Arguments.present("group", group);
        life.checkOpen();
        if (initAttributes.type().isRaw()) {
            context().admission().require(DeviceCapability.RAW_MULTI);
        } else if (initAttributes.type() != QpType.UD) {
            throw new RdmaException(
                    Errno.EINVAL,
                    this + " is of type " + initAttributes.type() + ": multicast is for UD and raw packets");
        }
        if (!group.isMulticast()) {
            throw new RdmaException(Errno.EINVAL, group + " is no multicast GID");
        }
        context().admission().require(DeviceLimit.MAX_MCAST_GRP);
        boolean isEthernet = context().linkLayer(Math.max(1, real.port())) == LinkLayer.ETHERNET;
        if (!isEthernet && (lid < MULTICAST_LID_BASE || lid >= PERMISSIVE_LID)) {
            throw new RdmaException(
                    Errno.EINVAL, String.format("0x%x is no multicast LID: those are 0xc000..0xfffe", lid));
        }
    }

    EventCounter asyncEventCounter() {
        return asyncEventCounter;
    }

    /**
     * Destroys the queue pair. Posted requests are discarded without completions. An XRC target exists until all its
     * openings are closed. Idempotent. Corresponds to {@code ibv_destroy_qp}, which waits for the acknowledgement of
     * events where this method throws EBUSY.
     *
     * @throws RdmaException EBUSY while asynchronous events of it are not acknowledged
     */
    @Override
    public void close() {
        asyncEventCounter.checkAcknowledged(life.name());
        if (life.close()) {
            real.close();
            context().asyncEvents().queue().removeIf(event -> event.queuePair() == this);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
