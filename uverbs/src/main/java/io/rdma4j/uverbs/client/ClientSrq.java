package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.ReceiveBatch;
import io.rdma4j.verbs.SrqAttributes;
import io.rdma4j.verbs.queue.ReceiveOwner;
import io.rdma4j.verbs.queue.ReceiveQueue;
import io.rdma4j.verbs.queue.RingReceiveBatch;
import io.rdma4j.verbs.spi.SrqOps;
import org.jspecify.annotations.Nullable;

/**
 * A shared receive queue of the server. Receives are written here into the memory of both, and need no doorbell: the device looks for one when
 * a message needs it. Answers to {@code struct rxe_srq} of the library.
 */
final class ClientSrq implements SrqOps {
    private static final int MAX_WR = 1;
    private static final int LIMIT = 2;

    private final ClientContext context;
    private final long eventNumber;
    private final int handle;
    private final int number;
    private final RingReceiveBatch batch;

    private ClientSrq(ClientContext context, long eventNumber, Message answer) {
        this.context = context;
        this.eventNumber = eventNumber;
        this.handle = answer.get(Attribute.HANDLE);
        this.number = answer.get(Attribute.SRQ_NUMBER);
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
            // the device looks for receives when a message needs one
        }
    }

    /** Has the server make one and maps it; if that fails, it is destroyed again. */
    static ClientSrq make(ClientContext context, Message request, long eventNumber) {
        Message answer = context.call(request.putLong(Attribute.USER_HANDLE, eventNumber));
        try {
            return new ClientSrq(context, eventNumber, answer);
        } catch (RuntimeException e) {
            context.destroy(Command.DESTROY_SRQ, answer.get(Attribute.HANDLE));
            throw e;
        }
    }

    private static ReceiveQueue queue(Message answer) {
        SrqAttributes sizes = answer.getRecord(Attribute.SRQ_ATTRIBUTES, SrqAttributes.class);
        return ReceiveQueue.attach(
                sizes.maxWr(), sizes.maxSge(), SharedMemory.map(answer, Attribute.OFFSET, Attribute.SIZE));
    }

    private Message about(Command command) {
        return new Message(command).put(Attribute.HANDLE, handle);
    }

    private Message modify(int mask, SrqAttributes wanted) {
        return context.call(
                about(Command.MODIFY_SRQ).put(Attribute.SRQ_MASK, mask).putRecord(Attribute.SRQ_ATTRIBUTES, wanted));
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
        return context.call(about(Command.QUERY_SRQ)).getRecord(Attribute.SRQ_ATTRIBUTES, SrqAttributes.class);
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
        context.destroy(Command.DESTROY_SRQ, handle);
        context.forget(eventNumber);
    }
}
