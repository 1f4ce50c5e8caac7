// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.DoorbellPage;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.spi.PollRegistration;
import io.rdma4j.verbs.spi.PollSource;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The doorbells of a session: a page that the client writes. The thread that drives the device polls it in each run of
 * the loop, so no thread is woken while the loop runs. If the device has no such thread, the session's thread polls the
 * page after each POST_SEND command.
 *
 * <p>Only the session's thread adds and removes queue pairs.
 */
final class SessionDoorbells implements PollSource, AutoCloseable {
    private final QueueFile file;
    private final DoorbellPage page;
    private final AtomicReferenceArray<@Nullable Bell> bells = new AtomicReferenceArray<>(DoorbellPage.DOORBELLS);

    /** Null if no thread of the device polls the page. */
    private final @Nullable PollRegistration registration;

    private int last;
    private int vainPolls;
    private long unknown;

    /** The queue pairs of one doorbell, as a linked list. */
    private record Bell(QueuePair qp, @Nullable Bell next) {}

    /** @param folder directory in which the client finds the page */
    SessionDoorbells(Context context, Path folder) {
        this.file = QueueFile.create(folder);
        try {
            this.page = new DoorbellPage(file.allocate(DoorbellPage.BYTES, Long.BYTES));
            this.registration = register(context);
        } catch (RuntimeException e) {
            file.delete();
            throw e;
        }
    }

    private @Nullable PollRegistration register(Context context) {
        try {
            return context.addPollSource(this);
        } catch (RdmaException e) {
            if (e.errno() != Errno.EOPNOTSUPP) {
                throw e;
            }
            page.beginSleep(DoorbellPage.UNATTENDED);
            return null;
        }
    }

    /** Puts the file of the page into an answer. */
    void describe(Message answer) {
        file.putFirstPart(answer);
    }

    /** {@return the doorbell assigned to a queue pair} On the session's thread. */
    int add(QueuePair qp) {
        int doorbell = last++ % DoorbellPage.DOORBELLS;
        bells.set(doorbell, new Bell(qp, bells.get(doorbell)));
        return doorbell;
    }

    /** Removes a queue pair before it is closed. On the session's thread. */
    void remove(int doorbell, QueuePair qp) {
        bells.set(doorbell, without(bells.get(doorbell), qp));
    }

    @SuppressWarnings("ReferenceEquality") // identity is intended
    private static @Nullable Bell without(@Nullable Bell bell, QueuePair qp) {
        if (bell == null) {
            return null;
        }
        return bell.qp() == qp ? bell.next() : new Bell(bell.qp(), without(bell.next(), qp));
    }

    /** Wakes the device after the client has set a doorbell while threads slept. On the session's thread. */
    void wake() {
        PollRegistration registered = registration;
        if (registered != null) {
            registered.wake();
        } else {
            page.beginSleep(DoorbellPage.UNATTENDED);
            poll();
        }
    }

    /** Number of doorbells set without a queue pair; approximate for threads other than the polling one. */
    long unknown() {
        return unknown;
    }

    @Override
    public boolean isPending() {
        return page.isRung();
    }

    /** Bounded by the number of doorbells; a page with all bits set takes some microseconds. */
    @Override
    public void poll() {
        for (long words = page.takeSummary(); words != 0; words &= words - 1) {
            int word = Long.numberOfTrailingZeros(words);
            for (long bits = page.takeWord(word); bits != 0; bits &= bits - 1) {
                ring(word * Long.SIZE + Long.numberOfTrailingZeros(bits));
            }
        }
    }

    private void ring(int doorbell) {
        Bell bell = bells.get(doorbell);
        if (bell == null) {
            unknown++;
        }
        while (bell != null) {
            ring(bell.qp());
            bell = bell.next();
        }
    }

    private void ring(QueuePair qp) {
        try {
            qp.ringDoorbell();
        } catch (RdmaException e) {
            // Another thread has closed the queue pair.
            unknown++;
        }
    }

    @Override
    public boolean beforeSleep(int sleeper) {
        return !page.beginSleep(sleeper);
    }

    @Override
    public void afterSleep(int sleeper) {
        page.endSleep(sleeper);
    }

    @Override
    public boolean isAwaited() {
        int now = page.vainPolls();
        boolean awaited = now != vainPolls;
        vainPolls = now;
        return awaited;
    }

    /** Must be called before the context is closed. */
    @Override
    public void close() {
        if (registration != null) {
            registration.close();
        }
        file.delete();
    }
}
