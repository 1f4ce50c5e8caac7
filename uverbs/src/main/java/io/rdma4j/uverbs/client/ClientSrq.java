// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.spi.SrqOps;
import io.rdma4j.verbs.spi.ring.ReceiveOwner;
import io.rdma4j.verbs.spi.ring.ReceiveQueue;
import io.rdma4j.verbs.spi.ring.RingReceiveBatch;
import io.rdma4j.verbs.values.SrqAttributes;
import io.rdma4j.verbs.wr.ReceiveBatch;
import org.jspecify.annotations.Nullable;

/**
 * A shared receive queue on the server. Receives are written into shared memory and need no doorbell, because the
 * device reads the queue when a message needs a receive. Corresponds to {@code struct rxe_srq} of rdma-core.
 */
final class ClientSrq implements SrqOps {
    private static final int MAX_WR = 1;
    private static final int LIMIT = 2;

    private final ClientSession session;
    private final long eventNumber;
    private final int handle;
    private final int number;
    private final RingReceiveBatch batch;

    private ClientSrq(ClientSession session, long eventNumber, Message answer) {
        this.session = session;
        this.eventNumber = eventNumber;
        this.handle = answer.get(CommandAttribute.HANDLE);
        this.number = answer.get(CommandAttribute.SRQ_NUMBER);
        this.batch = new RingReceiveBatch(queue(answer), new Owner());
    }

    /** Receives may be posted at any time. */
    private static final class Owner implements ReceiveOwner {
        @Override
        public @Nullable String receiveRefusal() {
            return null;
        }

        @Override
        public void receiveDoorbell() {
            // No doorbell: the device reads the queue when a message needs a receive.
        }
    }

    /** Creates the queue on the server and maps it; if mapping fails, it destroys the queue. */
    static ClientSrq make(ClientSession session, Message request, long eventNumber) {
        Message answer = session.call(request.putLong(CommandAttribute.USER_HANDLE, eventNumber));
        try {
            return new ClientSrq(session, eventNumber, answer);
        } catch (RuntimeException e) {
            session.destroy(CommandType.DESTROY_SRQ, answer.get(CommandAttribute.HANDLE));
            throw e;
        }
    }

    private static ReceiveQueue queue(Message answer) {
        SrqAttributes sizes = answer.getRecord(CommandAttribute.SRQ_ATTRIBUTES, SrqAttributes.class);
        return ReceiveQueue.attach(
                sizes.maxWr(), sizes.maxSge(), ClientFiles.map(answer, CommandAttribute.OFFSET, CommandAttribute.SIZE));
    }

    private Message about(CommandType command) {
        return new Message(command).put(CommandAttribute.HANDLE, handle);
    }

    private Message modify(int mask, SrqAttributes wanted) {
        return session.call(about(CommandType.MODIFY_SRQ)
                .put(CommandAttribute.SRQ_MASK, mask)
                .putRecord(CommandAttribute.SRQ_ATTRIBUTES, wanted));
    }

    int handle() {
        return handle;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public SrqAttributes query() {
        return session.call(about(CommandType.QUERY_SRQ))
                .getRecord(CommandAttribute.SRQ_ATTRIBUTES, SrqAttributes.class);
    }

    @Override
    public void armLimit(int limit) {
        modify(LIMIT, new SrqAttributes(0, 0, limit));
    }

    @Override
    public void resize(int maxWr) {
        batch.follow(() -> queue(modify(MAX_WR, new SrqAttributes(maxWr, 0, 0))));
    }

    @Override
    public ReceiveBatch startReceive() {
        return batch.start();
    }

    @Override
    public void close() {
        session.destroy(CommandType.DESTROY_SRQ, handle);
        session.forget(eventNumber);
    }
}
