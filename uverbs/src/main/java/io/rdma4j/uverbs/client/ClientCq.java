// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.CqSetup;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.RingCompletionCursor;
import io.rdma4j.verbs.values.CqCreateFlag;
import io.rdma4j.verbs.values.Flags;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.CompletionField;

/**
 * A completion queue that the server fills and the client polls in shared memory. Corresponds to {@code struct rxe_cq}
 * of rdma-core.
 */
final class ClientCq implements CqOps {
    /**
     * Number of empty polls after which the polling thread yields its CPU, because the server or the peer may need it.
     * These polls take less than 1 µs.
     */
    private static final int POLLS_BEFORE_YIELD = 16;

    private final ClientSession session;
    private final long number;
    private final int handle;
    private final CompletionRing ring;
    private volatile int capacity;
    private final RingCompletionCursor cursor;

    /** Number of empty polls; only for the owner of the cursor. */
    private int vainPolls;

    /** @param number number in events of this queue */
    ClientCq(ClientSession session, long number, CqSetup attributes) {
        this.session = session;
        this.number = number;
        Message answer = session.call(new Message(CommandType.CREATE_CQ)
                .put(CommandAttribute.CQE, attributes.entries())
                .put(CommandAttribute.COMP_VECTOR, attributes.vector())
                .putLong(CommandAttribute.USER_HANDLE, number)
                .put(CommandAttribute.WC_FLAGS, (int) Flags.mask(attributes.fields(), CompletionField::bit))
                .put(CommandAttribute.CQ_FLAGS, (int) Flags.mask(attributes.flags(), CqCreateFlag::bit)));
        this.handle = answer.get(CommandAttribute.HANDLE);
        this.capacity = answer.get(CommandAttribute.CQE);
        try {
            this.ring = CompletionRing.silent(
                    capacity, ClientFiles.map(answer, CommandAttribute.OFFSET, CommandAttribute.SIZE));
            this.cursor = new RingCompletionCursor(ring, this::polledInVain);
        } catch (RuntimeException e) {
            session.destroy(CommandType.DESTROY_CQ, handle);
            throw e;
        }
    }

    private Message about(CommandType command) {
        return new Message(command).put(CommandAttribute.HANDLE, handle);
    }

    private void polledInVain() {
        if (++vainPolls % POLLS_BEFORE_YIELD == 0) {
            session.doorbells().giveWay();
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

    /** Writes the request into shared memory; the server sends the event. */
    @Override
    public boolean requestNotification(boolean solicitedOnly) {
        session.connection().check();
        return ring.requestNotification(solicitedOnly);
    }

    @Override
    public void requestNotificationAt(int completions) {
        session.call(about(CommandType.REQ_NOTIFY_CQ).put(CommandAttribute.COMPLETIONS, completions));
    }

    @Override
    public void moderate(int count, int periodUs) {
        session.call(about(CommandType.MODIFY_CQ)
                .put(CommandAttribute.CQ_COUNT, count)
                .put(CommandAttribute.CQ_PERIOD, periodUs));
    }

    /** Polling threads wait while the server moves the completions. */
    @Override
    public void resize(int entries) {
        cursor.exclusively(() -> {
            Message answer = session.call(about(CommandType.RESIZE_CQ).put(CommandAttribute.CQE, entries));
            int next = answer.get(CommandAttribute.CQE);
            ring.follow(next, ClientFiles.map(answer, CommandAttribute.OFFSET, CommandAttribute.SIZE));
            capacity = next;
        });
    }

    @Override
    public int waiting() {
        return cursor.waiting();
    }

    @Override
    public void discard(int qpNumber) {
        cursor.discard(qpNumber);
    }

    @Override
    public void close() {
        session.destroy(CommandType.DESTROY_CQ, handle);
        session.forget(number);
    }
}
