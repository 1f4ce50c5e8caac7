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
    /** A thread offers its CPU once in so many polls in vain: less than a microsecond, for the server or the peer may wait for it. */
    private static final int POLLS_BEFORE_YIELD = 16;

    private final ClientContext context;
    private final long number;
    private final int handle;
    private final CompletionRing ring;
    private volatile int capacity;
    private final RingCompletionCursor cursor;

    /** How often it was polled in vain; by who has the cursor. */
    private int vainPolls;

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
            this.ring = CompletionRing.silent(capacity, SharedMemory.map(answer, Attribute.OFFSET, Attribute.SIZE));
            this.cursor = new RingCompletionCursor(ring, this::polledInVain);
        } catch (RuntimeException e) {
            context.destroy(Command.DESTROY_CQ, handle);
            throw e;
        }
    }

    private Message about(Command command) {
        return new Message(command).put(Attribute.HANDLE, handle);
    }

    private void polledInVain() {
        if (++vainPolls % POLLS_BEFORE_YIELD == 0) {
            context.doorbells().giveWay();
        } else {
            Thread.onSpinWait();
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

    /** The request lies in the memory of both; the server tells of the event. */
    @Override
    public boolean requestNotification(boolean solicitedOnly) {
        context.connection().check();
        return ring.requestNotification(solicitedOnly);
    }

    @Override
    public void requestNotificationAt(int completions) {
        context.call(about(Command.REQ_NOTIFY_CQ).put(Attribute.COMPLETIONS, completions));
    }

    @Override
    public void moderate(int count, int periodUs) {
        context.call(about(Command.MODIFY_CQ).put(Attribute.CQ_COUNT, count).put(Attribute.CQ_PERIOD, periodUs));
    }

    /** Nobody polls while the server moves the completions. */
    @Override
    public void resize(int entries) {
        cursor.exclusively(() -> {
            Message answer = context.call(about(Command.RESIZE_CQ).put(Attribute.CQE, entries));
            int next = answer.get(Attribute.CQE);
            ring.follow(next, SharedMemory.map(answer, Attribute.OFFSET, Attribute.SIZE));
            capacity = next;
        });
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
