package io.rdma4j.uverbs.client;

import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.DoorbellPage;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.QpAttributeCodec;
import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.DeviceCapability;
import io.rdma4j.verbs.Flags;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.QpCreateFlag;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.ReceiveBatch;
import io.rdma4j.verbs.SendBatch;
import io.rdma4j.verbs.queue.QueueOwner;
import io.rdma4j.verbs.queue.ReceiveQueue;
import io.rdma4j.verbs.queue.RingReceiveBatch;
import io.rdma4j.verbs.queue.RingSendBatch;
import io.rdma4j.verbs.queue.SendOperations;
import io.rdma4j.verbs.queue.SendQueue;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.spi.QpResources;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair of the server. Work requests are written here into the memory of both, and so is the doorbell. Answers to {@code struct rxe_qp} of the library.
 */
final class ClientQp implements QpOps {
    private final ClientContext context;
    private final long number;
    private final int handle;
    private final int doorbell;
    private final int qpn;
    private final QpCapabilities capabilities;

    /** Null for an XRC target. */
    private final @Nullable RingSendBatch sendBatch;

    /** Null without a receive queue of its own. */
    private final @Nullable RingReceiveBatch receiveBatch;

    /** As of the last modification or query, like {@code ibv_qp.state}: what posting looks at. The server flushes what comes after an error. */
    private volatile QpState known = QpState.RESET;

    private ClientQp(ClientContext context, long number, QpInitAttributes attributes, Message answer) {
        this.context = context;
        this.number = number;
        this.handle = answer.get(Attribute.HANDLE);
        this.doorbell = answer.get(Attribute.DOORBELL) & DoorbellPage.DOORBELLS - 1;
        this.qpn = answer.get(Attribute.QPN);
        this.capabilities = answer.getRecord(Attribute.CAPABILITIES, QpCapabilities.class);
        QueueOwner doorbells = new Doorbells();
        this.sendBatch = attributes.type() == QpType.XRC_TGT ? null : sendBatch(attributes, answer, doorbells);
        boolean receiving = attributes.type().hasReceiveQueue() && attributes.srq() == null;
        this.receiveBatch = receiving ? receiveBatch(answer, doorbells) : null;
    }

    private RingSendBatch sendBatch(QpInitAttributes attributes, Message answer, QueueOwner doorbells) {
        SendQueue sends = new SendQueue(
                capabilities.maxSendWr(),
                capabilities.maxSendSge(),
                capabilities.maxInlineData(),
                (_, _) -> SharedMemory.map(answer, Attribute.OFFSET, Attribute.SIZE));
        DeviceAttributes device = context.queryDevice();
        return new RingSendBatch(
                sends,
                doorbells,
                attributes.type(),
                SendOperations.of(device.capabilities(), attributes.createFlags()),
                attributes.sendOperations(),
                attributes.type() == QpType.UD && device.has(DeviceCapability.UD_IP_CSUM));
    }

    private RingReceiveBatch receiveBatch(Message answer, QueueOwner doorbells) {
        ReceiveQueue receives = new ReceiveQueue(
                capabilities.maxReceiveWr(),
                capabilities.maxReceiveSge(),
                (_, _) -> SharedMemory.map(answer, Attribute.RECEIVE_OFFSET, Attribute.RECEIVE_SIZE));
        return new RingReceiveBatch(receives, doorbells);
    }

    private final class Doorbells implements QueueOwner {
        @Override
        public QpState state() {
            return known;
        }

        @Override
        public void sendDoorbell() {
            context.doorbells().ring(doorbell);
        }

        /**
         * Receives are found when a message needs one. Only a broken queue pair has to see them at once, to flush them; if it has broken by itself, the server sees
         * them when it looks the next time.
         */
        @Override
        public void receiveDoorbell() {
            if (known == QpState.ERR) {
                context.doorbells().ring(doorbell);
            } else {
                context.doorbells().mark(doorbell);
            }
        }
    }

    /** Completes the command that makes a queue pair. */
    static Message request(Message command, QpInitAttributes attributes, QpResources resources) {
        command.put(Attribute.QP_TYPE, attributes.type().code())
                .putRecord(Attribute.CAPABILITIES, attributes.capabilities())
                .put(Attribute.SQ_SIG_ALL, attributes.signalType().code())
                .put(Attribute.PORT, attributes.port())
                .put(Attribute.QP_FLAGS, QpCreateFlag.mask(attributes.createFlags()))
                .putLong(Attribute.SEND_OPERATIONS, Flags.mask(attributes.sendOperations(), one -> 1L << one.code()))
                .put(Attribute.ETHER_TYPE, attributes.etherType());
        if (resources.sendCq() instanceof ClientCq cq) {
            command.put(Attribute.SEND_CQ, cq.handle());
        }
        if (resources.receiveCq() instanceof ClientCq cq) {
            command.put(Attribute.RECV_CQ, cq.handle());
        }
        if (resources.srq() instanceof ClientSrq srq) {
            command.put(Attribute.SRQ, srq.handle());
        }
        if (resources.xrcDomain() instanceof ClientXrcd domain) {
            command.put(Attribute.XRCD, domain.handle());
        }
        return command;
    }

    /** Has the server make one, or open one, and maps its queues; if that fails, it is destroyed again. */
    static ClientQp make(ClientContext context, Message command, QpInitAttributes attributes, QpEvents events) {
        long number = context.register(events::event);
        try {
            Message answer = context.call(command.putLong(Attribute.USER_HANDLE, number));
            try {
                return new ClientQp(context, number, attributes, answer);
            } catch (RuntimeException e) {
                context.destroy(Command.DESTROY_QP, answer.get(Attribute.HANDLE));
                throw e;
            }
        } catch (RuntimeException e) {
            context.forget(number);
            throw e;
        }
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
        return Objects.requireNonNull(sendBatch).start();
    }

    @Override
    public ReceiveBatch startReceive() {
        return Objects.requireNonNull(receiveBatch).start();
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
