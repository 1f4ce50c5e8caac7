package io.rdma4j.uverbs.client;

import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.QpAttributeCodec;
import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.ReceiveBatch;
import io.rdma4j.verbs.SendBatch;
import io.rdma4j.verbs.WrOpcode;
import io.rdma4j.verbs.queue.QueueOwner;
import io.rdma4j.verbs.queue.ReceiveQueue;
import io.rdma4j.verbs.queue.RingReceiveBatch;
import io.rdma4j.verbs.queue.RingSendBatch;
import io.rdma4j.verbs.queue.SendQueue;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import java.util.EnumSet;
import java.util.Set;

/**
 * A queue pair of the server. Work requests are written here into the memory of both; a short command is the doorbell, as with rxe on
 * Linux. Answers to {@code struct rxe_qp} of the library.
 */
final class ClientQp implements QpOps {
    /** What the device needs objects for that there are no commands for. */
    private static final Set<WrOpcode> WITHOUT_COMMAND = EnumSet.of(
            WrOpcode.BIND_MW,
            WrOpcode.REG_MR,
            WrOpcode.TSO,
            WrOpcode.MASKED_ATOMIC_CMP_AND_SWP,
            WrOpcode.MASKED_ATOMIC_FETCH_AND_ADD);

    private final ClientContext context;
    private final long number;
    private final int handle;
    private final int qpn;
    private final QpCapabilities capabilities;
    private final RingSendBatch sendBatch;
    private final RingReceiveBatch receiveBatch;
    private final QpEvents events;

    /** As of the last modification or query, like {@code ibv_qp.state}: what posting looks at. The server flushes what comes after an error. */
    private volatile QpState known = QpState.RESET;

    private ClientQp(ClientContext context, long number, QpInitAttributes attributes, Message answer, QpEvents events) {
        this.context = context;
        this.number = number;
        this.events = events;
        this.handle = answer.get(Attribute.HANDLE);
        this.qpn = answer.get(Attribute.QPN);
        this.capabilities = answer.getRecord(Attribute.CAPABILITIES, QpCapabilities.class);
        SendQueue sends = new SendQueue(
                capabilities.maxSendWr(),
                capabilities.maxSendSge(),
                capabilities.maxInlineData(),
                (_, _) -> SharedMemory.map(answer, Attribute.OFFSET, Attribute.SIZE));
        ReceiveQueue receives = new ReceiveQueue(
                capabilities.maxReceiveWr(),
                capabilities.maxReceiveSge(),
                (_, _) -> SharedMemory.map(answer, Attribute.RECEIVE_OFFSET, Attribute.RECEIVE_SIZE));
        Set<WrOpcode> operations = EnumSet.complementOf(EnumSet.copyOf(WITHOUT_COMMAND));
        boolean checksums = attributes.type() == QpType.UD;
        QueueOwner doorbells = new Doorbells();
        this.sendBatch = new RingSendBatch(
                sends, doorbells, attributes.type(), operations, attributes.sendOperations(), checksums);
        this.receiveBatch = new RingReceiveBatch(receives, doorbells);
    }

    private final class Doorbells implements QueueOwner {
        @Override
        public QpState state() {
            return known;
        }

        @Override
        public void sendDoorbell() {
            context.connection().ring(about(Command.POST_SEND));
        }

        /** Most receives need none, but whether the queue pair is broken meanwhile, so that they must be flushed, is known over there. */
        @Override
        public void receiveDoorbell() {
            context.connection().ring(about(Command.POST_RECV));
        }
    }

    /** Has the server make one and maps its queues; if that fails, it is destroyed again. */
    static ClientQp create(
            ClientPd pd, QpInitAttributes attributes, ClientCq sends, ClientCq receives, QpEvents events) {
        ClientContext context = pd.context();
        long number = context.nextNumber();
        Message answer = context.call(new Message(Command.CREATE_QP)
                .put(Attribute.PD, pd.handle())
                .put(Attribute.QP_TYPE, attributes.type().code())
                .put(Attribute.SEND_CQ, sends.handle())
                .put(Attribute.RECV_CQ, receives.handle())
                .putRecord(Attribute.CAPABILITIES, attributes.capabilities())
                .put(Attribute.SQ_SIG_ALL, attributes.signalType().code())
                .put(Attribute.PORT, attributes.port())
                .putLong(Attribute.USER_HANDLE, number));
        try {
            ClientQp qp = new ClientQp(context, number, attributes, answer, events);
            context.add(number, qp);
            return qp;
        } catch (RuntimeException e) {
            context.destroy(Command.DESTROY_QP, answer.get(Attribute.HANDLE));
            throw e;
        }
    }

    void onEvent(EventType type) {
        events.event(type);
    }

    @Override
    public int qpn() {
        return qpn;
    }

    @Override
    public QpCapabilities capabilities() {
        return capabilities;
    }

    /** The device may have changed it, so the server is asked; once it is gone, this is the last that was known. */
    @Override
    public QpState state() {
        try {
            return query().state();
        } catch (RdmaException e) {
            return known;
        }
    }

    private Message about(Command command) {
        return new Message(command).put(Attribute.HANDLE, handle);
    }

    @Override
    public void modify(QpAttributes attributes) {
        Message answer = context.call(QpAttributeCodec.put(about(Command.MODIFY_QP), attributes));
        known = QpState.ofCode(answer.get(Attribute.QP_STATE));
    }

    @Override
    public QpAttributes query() {
        QpAttributes attributes = QpAttributeCodec.get(context.call(about(Command.QUERY_QP)));
        known = attributes.state();
        return attributes;
    }

    @Override
    public SendBatch startSend() {
        return sendBatch.start();
    }

    @Override
    public ReceiveBatch startReceive() {
        return receiveBatch.start();
    }

    @Override
    public void attachMulticast(Gid group, int lid) {
        context.call(about(Command.ATTACH_MCAST).putRecord(Attribute.GID, group).put(Attribute.LID, lid));
    }

    @Override
    public void detachMulticast(Gid group, int lid) {
        context.call(about(Command.DETACH_MCAST).putRecord(Attribute.GID, group).put(Attribute.LID, lid));
    }

    @Override
    public void close() {
        context.destroy(Command.DESTROY_QP, handle);
        context.forget(number);
    }
}
