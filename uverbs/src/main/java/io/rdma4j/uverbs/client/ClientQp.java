// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.DoorbellPage;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.QpAttributeCodec;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.spi.QpResources;
import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.spi.ring.QueueOwner;
import io.rdma4j.verbs.spi.ring.ReceiveQueue;
import io.rdma4j.verbs.spi.ring.RingReceiveBatch;
import io.rdma4j.verbs.spi.ring.RingSendBatch;
import io.rdma4j.verbs.spi.ring.SendOperations;
import io.rdma4j.verbs.spi.ring.SendQueue;
import io.rdma4j.verbs.values.Flags;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.ReceiveBatch;
import io.rdma4j.verbs.wr.SendBatch;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair on the server. Work requests and doorbells are written into shared memory. Corresponds to {@code struct
 * rxe_qp} of rdma-core.
 */
final class ClientQp implements QpOps {
    private final ClientSession session;
    private final long number;
    private final int handle;
    private final int doorbell;
    private final int qpn;
    private volatile QpCapabilities capabilities;

    /** Null for an XRC target queue pair, as is its batch. */
    private @Nullable SendQueue sends;

    private final @Nullable RingSendBatch sendBatch;

    /** Null if the queue pair has no receive queue, as is its batch. */
    private @Nullable ReceiveQueue receives;

    private final @Nullable RingReceiveBatch receiveBatch;

    /**
     * State after the last modify or query, like {@code ibv_qp.state}; checked when the application posts. The server
     * flushes requests that are posted after an error.
     */
    private volatile QpState known = QpState.RESET;

    private ClientQp(ClientSession session, long number, QpSetup attributes, Message answer) {
        this.session = session;
        this.number = number;
        this.handle = answer.get(CommandAttribute.HANDLE);
        this.doorbell = answer.get(CommandAttribute.DOORBELL) & DoorbellPage.DOORBELLS - 1;
        this.qpn = answer.get(CommandAttribute.QPN);
        this.capabilities = answer.getRecord(CommandAttribute.CAPABILITIES, QpCapabilities.class);
        QueueOwner doorbells = new Doorbells();
        this.sends = attributes.type() == QpType.XRC_TGT ? null : sendQueue(answer);
        this.sendBatch = sends == null ? null : sendBatch(sends, attributes, doorbells);
        this.receives = attributes.hasOwnReceiveQueue() ? receiveQueue(answer) : null;
        this.receiveBatch = receives == null ? null : new RingReceiveBatch(receives, doorbells);
    }

    private static SendQueue sendQueue(Message answer) {
        QpCapabilities sizes = answer.getRecord(CommandAttribute.CAPABILITIES, QpCapabilities.class);
        return SendQueue.attach(
                sizes.maxSendWr(),
                sizes.maxSendSge(),
                sizes.maxInlineData(),
                ClientFiles.map(answer, CommandAttribute.OFFSET, CommandAttribute.SIZE));
    }

    private static ReceiveQueue receiveQueue(Message answer) {
        QpCapabilities sizes = answer.getRecord(CommandAttribute.CAPABILITIES, QpCapabilities.class);
        return ReceiveQueue.attach(
                sizes.maxReceiveWr(),
                sizes.maxReceiveSge(),
                ClientFiles.map(answer, CommandAttribute.RECEIVE_OFFSET, CommandAttribute.RECEIVE_SIZE));
    }

    private RingSendBatch sendBatch(SendQueue queue, QpSetup attributes, QueueOwner doorbells) {
        DeviceAttributes device = session.description().attributes();
        return new RingSendBatch(
                queue,
                doorbells,
                attributes.type(),
                SendOperations.of(device.capabilities(), attributes.createFlags()),
                attributes.sendOperations(),
                attributes.type() == QpType.UD && device.has(DeviceCapability.UD_IP_CSUM));
    }

    private final class Doorbells implements QueueOwner {
        @Override
        public QpState state() {
            return known;
        }

        @Override
        public void sendDoorbell() {
            session.doorbells().ring(doorbell);
        }

        /**
         * Wakes the server only in the ERR state, in which it must flush the receives. Otherwise the server reads the
         * queue when a message needs a receive. If the queue pair went to ERR without a modify, the server flushes them
         * at its next poll.
         */
        @Override
        public void receiveDoorbell() {
            if (known == QpState.ERR) {
                session.doorbells().ring(doorbell);
            } else {
                session.doorbells().mark(doorbell);
            }
        }
    }

    /** Adds the attributes to the command that creates a queue pair. */
    static Message request(Message command, QpSetup attributes, QpResources resources) {
        command.put(CommandAttribute.QP_TYPE, attributes.type().code())
                .putRecord(CommandAttribute.CAPABILITIES, attributes.capabilities())
                .put(CommandAttribute.SQ_SIG_ALL, attributes.signalType().code())
                .put(CommandAttribute.PORT, attributes.port())
                .put(CommandAttribute.QP_FLAGS, QpCreateFlag.mask(attributes.createFlags()))
                .putLong(
                        CommandAttribute.SEND_OPERATIONS,
                        Flags.mask(attributes.sendOperations(), one -> 1L << one.code()))
                .put(CommandAttribute.ETHER_TYPE, attributes.etherType());
        if (resources.sendCq() instanceof ClientCq cq) {
            command.put(CommandAttribute.SEND_CQ, cq.handle());
        }
        if (resources.receiveCq() instanceof ClientCq cq) {
            command.put(CommandAttribute.RECV_CQ, cq.handle());
        }
        if (resources.srq() instanceof ClientSrq srq) {
            command.put(CommandAttribute.SRQ, srq.handle());
        }
        if (resources.xrcDomain() instanceof ClientXrcd domain) {
            command.put(CommandAttribute.XRCD, domain.handle());
        }
        return command;
    }

    /**
     * Creates or opens a queue pair on the server and maps its queues; if mapping fails, it destroys the queue pair.
     */
    static ClientQp make(ClientSession session, Message command, QpSetup attributes, QpEvents events) {
        long number = session.register(events::event);
        try {
            Message answer = session.call(command.putLong(CommandAttribute.USER_HANDLE, number));
            try {
                return new ClientQp(session, number, attributes, answer);
            } catch (RuntimeException e) {
                session.destroy(CommandType.DESTROY_QP, answer.get(CommandAttribute.HANDLE));
                throw e;
            }
        } catch (RuntimeException e) {
            session.forget(number);
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

    /**
     * Queries the server, because the device may have changed the state; after the server's end it returns the last
     * state.
     */
    @Override
    public QpState state() {
        try {
            return query().state();
        } catch (RdmaException e) {
            return known;
        }
    }

    private Message about(CommandType command) {
        return new Message(command).put(CommandAttribute.HANDLE, handle);
    }

    @Override
    public void modify(QpAttributes attributes) {
        Message command = QpAttributeCodec.put(about(CommandType.MODIFY_QP), attributes);
        if (attributes.has(QpAttribute.CAP)) {
            whilePostersWait(() -> adopt(session.call(command)));
        } else {
            adopt(session.call(command));
        }
    }

    /** Adopts the new state and maps the queues that have moved. */
    private void adopt(Message answer) {
        if (answer.has(CommandAttribute.OFFSET)) {
            sends = sendQueue(answer);
        }
        if (answer.has(CommandAttribute.RECEIVE_OFFSET)) {
            receives = receiveQueue(answer);
        }
        if (answer.has(CommandAttribute.CAPABILITIES)) {
            capabilities = answer.getRecord(CommandAttribute.CAPABILITIES, QpCapabilities.class);
        }
        known = QpState.ofCode(answer.get(CommandAttribute.QP_STATE));
    }

    private void whilePostersWait(Runnable mover) {
        if (sendBatch == null) {
            mover.run();
        } else {
            sendBatch.follow(() -> {
                whileReceiversWait(mover);
                return Objects.requireNonNull(sends);
            });
        }
    }

    private void whileReceiversWait(Runnable mover) {
        if (receiveBatch == null) {
            mover.run();
        } else {
            receiveBatch.follow(() -> {
                mover.run();
                return Objects.requireNonNull(receives);
            });
        }
    }

    @Override
    public QpAttributes query() {
        QpAttributes attributes = QpAttributeCodec.get(session.call(about(CommandType.QUERY_QP)));
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
        session.call(about(CommandType.ATTACH_MCAST)
                .putRecord(CommandAttribute.GID, group)
                .put(CommandAttribute.LID, lid));
    }

    @Override
    public void detachMulticast(Gid group, int lid) {
        session.call(about(CommandType.DETACH_MCAST)
                .putRecord(CommandAttribute.GID, group)
                .put(CommandAttribute.LID, lid));
    }

    @Override
    public void close() {
        session.destroy(CommandType.DESTROY_QP, handle);
        session.forget(number);
    }
}
