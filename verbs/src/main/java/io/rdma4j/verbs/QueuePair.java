package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.QpOps;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A send queue and a receive queue, and what connects them to a peer. Answers to {@code struct ibv_qp}.
 *
 * <p>Any thread may call; posters to the same queue take turns, modifications come one after another. The caller of
 * {@link ProtectionDomain#createQp} or {@link XrcDomain#openQp} closes it.
 *
 * {@snippet :
 * QueuePair qp = pd.createQp(QpInitAttributes.builder(cq).build());
 * QpAddress own = QpAddress.of(qp);
 * qp.connect(own, exchange(own));   // the peer does the same
 * qp.postSend(SendRequest.send().wrId(1).signaled().sge(mr.sge(0, 4096)).build());
 * qp.startSend().wrId(2).signaled().send().sge(mr.lkey(), mr.iova(), 4096).complete();   // allocates nothing
 * }
 */
public final class QueuePair implements AutoCloseable {
    private static final int MULTICAST_LID_BASE = 0xC000;
    private static final int PERMISSIVE_LID = 0xFFFF;

    private final RealQueuePair real;
    private final QpOps ops;
    private final QpInitAttributes initAttributes;
    private final EventCounter asyncEventCounter = new EventCounter("asynchronous events");
    private final Lifecycle life;

    /** One for all posts: a new one each time would be garbage. */
    private final Supplier<ReceiveBatch> receiveDoor = this::startReceive;

    QueuePair(RealQueuePair real, QpInitAttributes attributes) {
        this.real = real;
        this.ops = real.ops();
        this.initAttributes = attributes;
        this.life = new Lifecycle(() -> String.format("%s 0x%06x", ObjectKind.QUEUE_PAIR, qpn()), real.parent());
    }

    void dispatch(EventType type) {
        context().asyncEvents().dispatch(AsyncEvent.of(type, this), initAttributes.eventHandler());
    }

    /** {@return the protection domain it belongs to} Answers to {@code pd}. */
    public ProtectionDomain protectionDomain() {
        ProtectionDomain pd = real.pd();
        if (pd == null) {
            throw new RdmaException(Errno.EINVAL, this + " was opened by its number: it has no protection domain");
        }
        return pd;
    }

    /** {@return the context it was made from} Answers to {@code context}. */
    public Context context() {
        return real.context();
    }

    /** {@return queue pair number: 24 bits} Answers to {@code qp_num}. */
    public int qpn() {
        return ops.qpn();
    }

    /** {@return how it was made, with the sizes that it got} Answers to the second result of {@code ibv_query_qp}. */
    public QpInitAttributes initAttributes() {
        return initAttributes.withCapabilities(ops.capabilities());
    }

    /** {@return what the program attached to it} Answers to {@code qp_context}. */
    public @Nullable Object userContext() {
        return initAttributes.userContext();
    }

    /** {@return the state now; the device itself may change it to SQE or ERR at any time} Answers to {@code state}. */
    public QpState state() {
        return ops.state();
    }

    /**
     * {@return all attributes as they are now} Answers to {@code ibv_query_qp}.
     *
     * @throws RdmaException EINVAL if it is closed, EIO once the device is gone
     */
    public QpAttributes query() {
        life.checkUsable();
        return ops.query();
    }

    /**
     * {@return what the device promises of the order in which the bytes of an operation are written to memory, so that
     * a program may look at the last of them instead of waiting for a completion} Answers to
     * {@code ibv_query_qp_data_in_order}: the set is that of its {@code RETURN_CAPS} form,
     * {@link DataOrder#WHOLE_MESSAGE} in it is 1 in the other.
     *
     * @param opcode of the operation
     * @throws RdmaException EINVAL if it is closed, EIO once the device is gone
     */
    public Set<DataOrder> queryDataInOrder(WrOpcode opcode) {
        Arguments.present("opcode", opcode);
        life.checkUsable();
        return ops.dataOrder(opcode);
    }

    /**
     * Changes attributes, the state among them. Answers to {@code ibv_modify_qp}; on a refusal nothing has changed. Attributes
     * of the half that an XRC queue pair does not have are ignored.
     *
     * @param attributes those to change; the others stay
     * @throws RdmaException EINVAL for a transition or an attribute that {@link QpStateTable} does not have, a value out of
     *     range, or a current state other than assumed; EOPNOTSUPP for {@link QpAttribute#RATE_LIMIT}, for
     *     {@link QpAttribute#CAP} if the device does not resize queues, for {@link QpAttribute#CUR_STATE} if it does not take the
     *     assumed state, and for another port once the queue pair has left INIT if it does not change ports; EACCES for a
     *     partition that the host's {@link PartitionPolicy} denies
     */
    public void modify(QpAttributes attributes) {
        Arguments.present("attributes", attributes);
        synchronized (real) {
            life.checkUsable();
            QpAttributes relevant = attributes.relevant(initAttributes.type());
            check(relevant);
            ops.modify(relevant);
            if (relevant.has(QpAttribute.PORT)) {
                real.port(relevant.port());
            }
        }
    }

    /**
     * Connects it with a peer, as {@link #connect(QpAddress, QpAddress, QpAttributes)} does, and as most programs want it.
     *
     * @param own this queue pair's address, as the peer was told
     * @param peer what the peer told
     * @throws RdmaException as there
     */
    public void connect(QpAddress own, QpAddress peer) {
        connect(own, peer, QpAttributes.builder().build());
    }

    /**
     * Takes it the whole way to RTS, by {@link #modify} to INIT, RTR and RTS. The peer does the same; what is sent before it is
     * ready is sent again. For RC, UC and XRC, from RESET or, so that receives can be posted before, from INIT. Has no name in C, where
     * each program does it by hand, or {@code rdma_connect}.
     *
     * <p>Unless {@code changes} say otherwise: P_Key 0 of the table, all three remote rights (those of the memory decide), a path MTU
     * of 1024 and 4 READs and atomics under way, in which both ends must agree; an answer is late after 268 ms (timeout 16), and
     * missed 7 times in a row, so that a peer that stands still for 5 s keeps the connection; a peer without a receive is asked again without end (rnr_retry 7), and asks for 0.64 ms (timer 12).
     *
     * @param own this queue pair's address, as the peer was told; its GID says which port and slot of the GID table to use
     * @param peer what the peer told
     * @param changes attributes that shall have other values, and optional ones; each goes with the first step that admits it
     * @throws RdmaException EINVAL if {@code own} is another queue pair's or its GID not in a table, for other types and states, for
     *     an attribute that no step admits, and nothing has changed then; whatever {@link #modify} throws: the queue pair is then where
     *     the steps before have taken it
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
        AddressVector path = AddressVector.roce(source.port(), peer.gid(), source.index());
        synchronized (real) {
            ConnectionSteps.of(this, path, own, peer, changes).forEach(this::modify);
        }
    }

    private void check(QpAttributes attributes) {
        if (attributes.has(QpAttribute.RATE_LIMIT)) {
            throw new RdmaException(Errno.EOPNOTSUPP, this + ": packet pacing (RATE_LIMIT) is not supported");
        }
        Set<QpAttribute> mask = EnumSet.noneOf(QpAttribute.class);
        mask.addAll(attributes.mask());
        if (mask.remove(QpAttribute.CAP)) {
            // Whoever resizes queues does so in any state.
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
        new QpAttributeCheck(context(), attributes).values(real.port());
    }

    /** Port of its primary path, from 1; 0 if it has none yet. */
    int port() {
        return real.port();
    }

    /**
     * Posts send requests. Answers to {@code ibv_post_send}; {@link #startSend} does the same without allocating.
     *
     * @param requests in the order in which they are to be carried out
     * @throws BadWorkRequestException at the first refused one: EINVAL for a wrong state, an operation or a flag that the
     *     type does not have, too many pieces or inline bytes, a message above 2^31 bytes, closed or foreign objects;
     *     EOPNOTSUPP for an operation that the device does not have; ENOMEM if the queue is full. Those before it stay posted.
     */
    public void postSend(SendRequest... requests) {
        postSend(Arguments.allPresent("requests", requests));
    }

    /**
     * As {@link #postSend(SendRequest...)}.
     *
     * @param requests in the order in which they are to be carried out; the list is read during the call only
     * @throws BadWorkRequestException as there
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
     * Posts receive requests. Answers to {@code ibv_post_recv}; {@link #startReceive} does the same without allocating.
     *
     * @param requests in the order in which they are to be carried out
     * @throws BadWorkRequestException at the first refused one: EINVAL in RESET, for too many pieces, or 2^31 bytes and
     *     more; ENOMEM if the queue is full. Those before it stay posted.
     */
    public void postReceive(ReceiveRequest... requests) {
        postReceive(Arguments.allPresent("requests", requests));
    }

    /**
     * As {@link #postReceive(ReceiveRequest...)}.
     *
     * @param requests in the order in which they are to be carried out; the list is read during the call only
     * @throws BadWorkRequestException as there
     */
    public void postReceive(List<ReceiveRequest> requests) {
        ReceiveRequest.post(requests, receiveDoor);
    }

    /**
     * Begins a batch of sends; the calling thread must complete or abort it soon, since others spin meanwhile. Answers to
     * {@code ibv_wr_start}. Allocates nothing.
     *
     * @return the send queue's one batch, to be completed or aborted by this thread
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
     * Begins a batch of receives; what {@link #startSend} says goes for it, too.
     *
     * @return the receive queue's one batch, to be completed or aborted by this thread
     * @throws RdmaException EINVAL if the queue pair is closed or has no receive queue of its own
     */
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
     * Somebody has posted to the queues without this object: another process that shares their memory, see
     * {@link QpInitAttributes#queueMemory}. Answers to {@code IB_USER_VERBS_CMD_POST_SEND} without work requests, as rxe's
     * library gives it.
     *
     * @throws RdmaException EINVAL if it is closed, EOPNOTSUPP if the device has its queues elsewhere
     */
    public void ringDoorbell() {
        life.checkOpen();
        ops.ringDoorbell();
    }

    /**
     * Lets datagrams to a multicast group come here as well; whoever is attached already stays so. On InfiniBand the group
     * must be joined with the subnet administrator besides. Answers to {@code ibv_attach_mcast}.
     *
     * @param group MGID
     * @param lid MLID of the group on InfiniBand; means nothing on Ethernet
     * @throws RdmaException EINVAL if this is neither a UD nor a raw queue pair, for other GIDs and LIDs; EOPNOTSUPP if the device
     *     has no multicast, or none for raw queue pairs; ENOMEM at its limits
     */
    public void attachMulticast(Gid group, int lid) {
        checkMulticast(group, lid);
        real.attach(group, lid);
    }

    /**
     * Undoes {@link #attachMulticast}; so does closing the queue pair. Answers to {@code ibv_detach_mcast}.
     *
     * @param group MGID
     * @param lid MLID, as it was attached
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
     * Destroys it; requests that are still posted vanish without completions. An XRC target lives on while others have it
     * open. Idempotent. Answers to {@code ibv_destroy_qp}, which waits for acknowledgements where this refuses.
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
