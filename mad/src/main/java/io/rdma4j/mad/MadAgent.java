// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.mad.Mad;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A user of a port's MAD layer: sends messages, and receives responses and the unsolicited datagrams of its
 * registration. Corresponds to {@code struct ib_mad_agent}.
 *
 * <p>Any thread. Methods call no handler; the thread that drives the port does, except for {@link #close}. A handler
 * may call all methods.
 */
public final class MadAgent implements AutoCloseable {
    private final Object port;
    private final int number;
    private final MadAgentSetup setup;
    private final PortParts parts;
    private final Runnable wakeup;
    private final Consumer<MadAgent> removal;
    private final Runnable onClose;
    private final MadBufferPool pool;
    private final AgentSends sends;
    private final @Nullable AgentRmpp rmpp;
    private int transactions;
    private boolean closed;

    /**
     * @param port lock of the port
     * @param firstTransaction lower half of the first transaction ID
     * @param wakeup wakes the driver
     * @param removal removes the agent from the port
     * @param onClose called once after the removal, without the lock
     */
    MadAgent(
            Object port,
            int number,
            int firstTransaction,
            MadAgentSetup setup,
            PortParts parts,
            Runnable wakeup,
            Consumer<MadAgent> removal,
            Runnable onClose) {
        this.port = port;
        this.number = number;
        this.transactions = firstTransaction;
        this.setup = setup;
        this.parts = parts;
        this.wakeup = wakeup;
        this.removal = removal;
        this.onClose = onClose;
        this.pool = new MadBufferPool(setup.receiveBuffers());
        this.sends = new AgentSends(parts, setup);
        this.rmpp = setup.rmppVersion() == 0 ? null : new AgentRmpp(parts, sends, pool, this::deliver);
    }

    /** {@return the number of the agent: the upper half of the transaction IDs of its requests} 24 bits. */
    public int number() {
        return number;
    }

    /** {@return the attributes of its registration} */
    public MadAgentSetup setup() {
        return setup;
    }

    /** {@return a new transaction ID: the number of the agent, and a counter that starts at random} */
    public long nextTransactionId() {
        synchronized (port) {
            return Integer.toUnsignedLong(number) << Integer.SIZE | Integer.toUnsignedLong(transactions++);
        }
    }

    /**
     * Sends a message. Its end is reported to the send handler once, unless this call throws. Corresponds to
     * {@code ib_post_send_mad}.
     *
     * @param send not in progress; a request whose transaction ID is one of {@link #nextTransactionId}, or a response
     * @throws RdmaException EINVAL if the agent is closed, has no send handler, or no receive handler for a message
     *     with a timeout; if an agent with RMPP sends a message of a class without; for a message in progress, or one
     *     of several datagrams without RMPP
     */
    public void send(MadSend send) {
        synchronized (port) {
            if (closed) {
                throw new RdmaException(Errno.EINVAL, this + " is closed");
            }
            sends.post(send, rmpp == null ? 1 : rmpp.replyWindow(send));
        }
    }

    /**
     * Changes the timeout of a message that waits for its response. The new one counts from now on. Corresponds to
     * {@code ib_modify_mad}.
     *
     * @param send in progress at this agent
     * @param timeoutMs time for the response after each transmission; 0 cancels
     * @throws RdmaException EINVAL if the message is not in progress or was cancelled, or for a negative timeout
     */
    public void modify(MadSend send, int timeoutMs) {
        synchronized (port) {
            sends.modify(send, timeoutMs);
        }
        wakeup.run();
    }

    /**
     * Ends a message: the send handler gets WR_FLUSH_ERR soon. A response that arrives later is dropped. Corresponds to
     * {@code ib_cancel_mad}.
     *
     * @param send in progress at this agent
     * @throws RdmaException EINVAL if the message is not in progress or was cancelled
     */
    public void cancel(MadSend send) {
        modify(send, 0);
    }

    /** {@return the number of receive buffers that are not returned, including those of incomplete RMPP messages} */
    public int usedReceiveBuffers() {
        return pool.used();
    }

    /**
     * Ends the registration. All messages in progress end with WR_FLUSH_ERR, incomplete RMPP messages are dropped. The
     * call makes the calls of handlers that are left, and returns when no handler runs, unless it is called by one.
     * Received messages stay valid until they are closed. Idempotent. Corresponds to {@code ib_unregister_mad_agent}.
     */
    @Override
    public void close() {
        boolean ends;
        synchronized (port) {
            ends = !closed;
            if (ends) {
                closed = true;
                removal.accept(this);
                sends.finishAll(WcStatus.WR_FLUSH_ERR);
                if (rmpp != null) {
                    rmpp.close();
                }
            }
        }
        parts.handlers().drain();
        if (ends) {
            onClose.run();
        }
    }

    // The port calls these methods, with its lock

    void received(MemorySegment datagram, MadAddress from, long nowNs) {
        if (rmpp != null && MadFormat.isRmpp(datagram)) {
            rmpp.received(datagram, from, nowNs);
            return;
        }
        MadSend request = null;
        if (Mad.isResponse(datagram, 0)) {
            request = sends.find(datagram, from);
            if (request == null) {
                parts.counters().count(MadCounter.UNMATCHED_RESPONSE);
                return;
            }
            if (sends.redirect(request, datagram)) {
                return;
            }
        }
        byte[] buffer = pool.take();
        if (buffer == null) {
            parts.counters().count(MadCounter.NO_RECEIVE_BUFFER);
            return;
        }
        MemorySegment.ofArray(buffer).copyFrom(datagram);
        deliver(request, new ReceivedMad(from, buffer, pool));
    }

    private void deliver(@Nullable MadSend request, ReceivedMad mad) {
        MadReceiveHandler handler = setup.receiveHandler();
        if (handler == null) {
            mad.close();
        } else {
            parts.handlers().add(() -> handler.received(request, mad));
        }
        if (request != null) {
            sends.finish(request, WcStatus.SUCCESS, 0);
        }
    }

    long advance(long nowNs) {
        long sendNs = sends.advance(nowNs);
        return rmpp == null ? sendNs : Deadline.earlier(sendNs, rmpp.advance(nowNs));
    }

    @Override
    public String toString() {
        return "MAD agent " + number;
    }
}
