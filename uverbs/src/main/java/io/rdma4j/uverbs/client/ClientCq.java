package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.CompletionCursor;
import io.rdma4j.verbs.CompletionField;
import io.rdma4j.verbs.CqCreateFlag;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.Flags;
import io.rdma4j.verbs.queue.CompletionRing;
import io.rdma4j.verbs.queue.RingCompletionCursor;
import io.rdma4j.verbs.spi.CqOps;

/** A completion queue that the server fills; polled here in the memory of both. Answers to {@code struct rxe_cq} of the library. */
final class ClientCq implements CqOps {
    private final ClientContext context;
    private final long number;
    private final int handle;
    private final int capacity;
    private final RingCompletionCursor cursor;

    /** @param number that its events come with */
    ClientCq(ClientContext context, long number, CqInitAttributes attributes) {
        this.context = context;
        this.number = number;
        Message answer = context.call(new Message(Command.CREATE_CQ)
                .put(Attribute.CQE, attributes.entries())
                .put(Attribute.COMP_VECTOR, attributes.vector())
                .putLong(Attribute.USER_HANDLE, number)
                .put(Attribute.WC_FLAGS, (int) Flags.mask(attributes.fields(), CompletionField::bit))
                .put(Attribute.CQ_FLAGS, (int) Flags.mask(attributes.flags(), CqCreateFlag::bit)));
        this.handle = answer.get(Attribute.HANDLE);
        this.capacity = answer.get(Attribute.CQE);
        try {
            CompletionRing ring =
                    CompletionRing.silent(capacity, SharedMemory.map(answer, Attribute.OFFSET, Attribute.SIZE));
            this.cursor = new RingCompletionCursor(ring, Thread::onSpinWait);
        } catch (RuntimeException e) {
            context.destroy(Command.DESTROY_CQ, handle);
            throw e;
        }
    }

    int handle() {
        return handle;
    }

    @Override
    public int capacity() {
        return capacity;
    }

    @Override
    public CompletionCursor startPoll() {
        return cursor.start();
    }

    @Override
    public boolean requestNotification(boolean solicitedOnly) {
        return context.call(new Message(Command.REQ_NOTIFY_CQ)
                                .put(Attribute.HANDLE, handle)
                                .put(Attribute.SOLICITED_ONLY, solicitedOnly ? 1 : 0))
                        .get(Attribute.WAITING)
                != 0;
    }

    @Override
    public int waiting() {
        return cursor.waiting();
    }

    @Override
    public void close() {
        context.destroy(Command.DESTROY_CQ, handle);
        context.forget(number);
    }
}
