// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.cm.CmAddress;
import io.rdma4j.cm.CmIdRange;
import io.rdma4j.cm.gsi.CmAccess;
import io.rdma4j.cm.gsi.CmChannel;
import io.rdma4j.cm.gsi.CmDatagram;
import io.rdma4j.mad.gsi.TimedWork;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.Worker;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.wire.mad.Mad;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The use of the queue pairs 1 of a served device by the communication manager of this process. A virtual thread drives
 * the manager.
 */
final class ClientCm implements CmChannel {
    private static final long NS_PER_MS = 1_000_000;

    private final ClientSession session;
    private final long number;
    private final int handle;
    private final CmIdRange ids;
    private final int agent;
    private final AtomicLong unsent = new AtomicLong();
    private @Nullable Thread driver;

    /** True if messages may have arrived since {@link #receive} found none. */
    private volatile boolean readable;

    // Guarded by this.
    private boolean woken;
    private boolean closed;

    private ClientCm(ClientSession session) {
        this.session = session;
        number = session.registerReadable(() -> {
            readable = true;
            wakeup();
        });
        Message answer;
        try {
            answer = session.call(new Message(CommandType.OPEN_CM).putLong(CommandAttribute.USER_HANDLE, number));
        } catch (RuntimeException e) {
            session.forget(number);
            throw e;
        }
        handle = answer.get(CommandAttribute.HANDLE);
        ids = new CmIdRange(answer.get(CommandAttribute.CM_FIRST_ID), answer.get(CommandAttribute.CM_ID_BITS));
        agent = answer.get(CommandAttribute.INDEX);
    }

    /** Returns a {@link CmAccess} if it is of this type; null otherwise. */
    static <T> @Nullable T extension(ClientSession session, Class<T> type) {
        CmAccess access = () -> new ClientCm(session);
        return type.isInstance(access) ? type.cast(access) : null;
    }

    private Message command(CommandType type) {
        return new Message(type).put(CommandAttribute.HANDLE, handle);
    }

    @Override
    public CmIdRange ids() {
        return ids;
    }

    @Override
    public int agent() {
        return agent;
    }

    @Override
    public void listen(long serviceId, long mask) {
        session.call(command(CommandType.LISTEN_CM)
                .putLong(CommandAttribute.SERVICE_ID, serviceId)
                .putLong(CommandAttribute.SERVICE_MASK, mask));
    }

    @Override
    public void endListen(long serviceId, long mask) {
        release(command(CommandType.END_LISTEN_CM)
                .putLong(CommandAttribute.SERVICE_ID, serviceId)
                .putLong(CommandAttribute.SERVICE_MASK, mask));
    }

    @Override
    public void bindPort(long serviceId, Gid address, boolean reuse) {
        session.call(command(CommandType.BIND_CM_PORT)
                .putLong(CommandAttribute.SERVICE_ID, serviceId)
                .putBytes(CommandAttribute.GID, address.toBytes())
                .put(CommandAttribute.REUSE_ADDRESS, reuse ? 1 : 0));
    }

    @Override
    public void releasePort(long serviceId, Gid address) {
        release(command(CommandType.RELEASE_CM_PORT)
                .putLong(CommandAttribute.SERVICE_ID, serviceId)
                .putBytes(CommandAttribute.GID, address.toBytes()));
    }

    private void release(Message command) {
        try {
            session.call(command);
        } catch (RdmaException e) {
            // The server has ended, and the claim with it.
        }
    }

    @Override
    public void send(MemorySegment datagram, CmAddress destination) {
        try {
            session.connection()
                    .sendUnanswered(command(CommandType.SEND_CM)
                            .putRecord(CommandAttribute.ADDRESS_VECTOR, destination.addressVector())
                            .put(CommandAttribute.QP_PKEY_INDEX, destination.pkeyIndex())
                            .putBytes(CommandAttribute.DATA, datagram.toArray(ValueLayout.JAVA_BYTE)));
        } catch (RdmaException e) {
            unsent.incrementAndGet(); // The server has ended.
        }
    }

    @Override
    public long unsent() {
        return unsent.get();
    }

    @Override
    public @Nullable CmDatagram receive() {
        if (!readable) {
            return null;
        }
        readable = false;
        try {
            Message answer = session.call(command(CommandType.RECEIVE_CM));
            byte[] mad = answer.getBytes(CommandAttribute.DATA);
            if (mad.length < Mad.BYTES) {
                return null;
            }
            readable = true;
            AddressVector vector = answer.getRecord(CommandAttribute.ADDRESS_VECTOR, AddressVector.class);
            return new CmDatagram(
                    MemorySegment.ofArray(mad), new CmAddress(vector, answer.get(CommandAttribute.QP_PKEY_INDEX)));
        } catch (RdmaException e) {
            return null; // The server has ended: the context tells the program.
        }
    }

    @Override
    public synchronized void start(TimedWork manager) {
        driver = Worker.start("rdma4j-cm", () -> sleepUntil(manager.advance(System.nanoTime())), () -> {});
    }

    private synchronized void sleepUntil(long deadlineNs) throws InterruptedException {
        while (!woken) {
            if (closed) {
                throw new InterruptedException("the use of the device has ended");
            }
            if (deadlineNs == Deadline.NEVER) {
                wait();
            } else {
                long leftNs = deadlineNs - System.nanoTime();
                if (leftNs <= 0) {
                    return;
                }
                wait(leftNs / NS_PER_MS, (int) (leftNs % NS_PER_MS));
            }
        }
        woken = false;
    }

    @Override
    public synchronized void wakeup() {
        woken = true;
        notifyAll();
    }

    /** Does nothing: a thread drives the manager. */
    @Override
    public long progress(long nowNs) {
        return Deadline.NEVER;
    }

    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            notifyAll();
            running = driver;
        }
        if (running != null && !running.equals(Thread.currentThread())) {
            awaitEnd(running);
        }
        session.destroy(CommandType.CLOSE_CM, handle);
        session.forget(number);
    }

    private static void awaitEnd(Thread running) {
        boolean isInterrupted = false;
        while (running.isAlive()) {
            try {
                running.join();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
