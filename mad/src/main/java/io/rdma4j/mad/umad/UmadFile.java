// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad.umad;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.MadAddress;
import io.rdma4j.mad.MadAgent;
import io.rdma4j.mad.MadAgentSetup;
import io.rdma4j.mad.MadRegistration;
import io.rdma4j.mad.MadSend;
import io.rdma4j.mad.ReceivedMad;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.Rmpp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An open file of {@code ib_umad}: up to 32 agents of a port. A write sends a message, a read takes a received message
 * or the report of a timeout, in the order of their arrival. Each message has a {@link UmadHeader} in front. Nothing
 * blocks; the application is told when the file becomes readable. Any thread.
 */
public final class UmadFile implements Umad {
    /** Agents of a file. */
    public static final int AGENTS = 32;
    /** Messages that wait to be read; further ones are lost. */
    public static final int MAX_QUEUED = 200_000;

    private static final int MIN_MESSAGE = Rmpp.OFFSET + Rmpp.BYTES;

    private final Function<MadAgentSetup, MadAgent> registrar;
    private final int port;
    private final Runnable readable;
    private final int limit;

    // Guarded by this.
    private final @Nullable MadAgent[] agents = new MadAgent[AGENTS];
    private final List<MadSend> outstanding = new ArrayList<>();
    private final Deque<MemorySegment> queue = new ArrayDeque<>();
    private long dropped;
    private boolean removed;
    private boolean closed;

    /**
     * Opens a file.
     *
     * @param registrar registers an agent of type GSI or SMI at the port
     * @param port port number, from 1
     * @param readable called when something can be read, or the device was removed; must not block
     */
    public UmadFile(Function<MadAgentSetup, MadAgent> registrar, int port, Runnable readable) {
        this(registrar, port, readable, MAX_QUEUED);
    }

    UmadFile(Function<MadAgentSetup, MadAgent> registrar, int port, Runnable readable, int limit) {
        this.registrar = registrar;
        this.port = port;
        this.readable = readable;
        this.limit = limit;
    }

    /**
     * Registers an agent. Corresponds to {@code IB_USER_MAD_REGISTER_AGENT2}.
     *
     * @param qpn 0 or 1
     * @param registration the datagrams that it receives; null for an agent that only sends ({@code mgmt_class} 0)
     * @param rmppVersion 0 or 1
     * @return number of the agent, 0 to 31
     * @throws RdmaException EINVAL for another queue pair, EPROTONOSUPPORT for queue pair 0 of a port without
     *     subnet management, EPIPE if the device was removed, ENOMEM for a 33rd agent,
     *     and as {@link io.rdma4j.mad.MadPort#register}
     */
    @Override
    public synchronized int register(int qpn, @Nullable MadRegistration registration, int rmppVersion) {
        checkPresent(Errno.EPIPE);
        if (qpn != 0 && qpn != 1) {
            throw new RdmaException(Errno.EINVAL, "queue pair " + qpn + " is not 0 or 1");
        }
        int id = 0;
        while (id < AGENTS && agents[id] != null) {
            id++;
        }
        if (id == AGENTS) {
            throw new RdmaException(Errno.ENOMEM, "the file has " + AGENTS + " agents: that is the limit");
        }
        int number = id;
        MadAgentSetup setup = MadAgentSetup.DEFAULT
                .qpType(qpn == 0 ? QpType.SMI : QpType.GSI)
                .rmppVersion(rmppVersion)
                .onSent((send, status) -> sent(number, send, status))
                .onReceived((_, message) -> received(number, message));
        agents[id] = registrar.apply(registration == null ? setup : setup.registration(registration));
        return id;
    }

    /**
     * Ends the registration of an agent. Corresponds to {@code IB_USER_MAD_UNREGISTER_AGENT}.
     *
     * @param id number of the agent
     * @throws RdmaException EINVAL if there is no such agent
     */
    public void unregister(int id) {
        MadAgent agent;
        synchronized (this) {
            agent = agent(id);
            agents[id] = null;
        }
        agent.close();
    }

    private MadAgent agent(int id) {
        MadAgent agent = id < 0 || id >= AGENTS ? null : agents[id];
        if (agent == null) {
            throw new RdmaException(Errno.EINVAL, "the file has no agent " + id);
        }
        return agent;
    }

    private void checkPresent(Errno errno) {
        if (closed) {
            throw new RdmaException(Errno.EINVAL, "the file is closed");
        }
        if (removed) {
            throw new RdmaException(errno, "the device was removed");
        }
    }

    // Writing

    /**
     * Sends a message. The upper half of the transaction ID of a request becomes the number of the agent.
     *
     * @param memory a {@link UmadHeader} and the message, which has at least 36 bytes; read only during the call
     * @throws RdmaException EPIPE if the device was removed; EINVAL for a message that is too short or too long, an
     *     agent that does not exist, or a second message in progress with the same transaction ID and class; responses
     *     may have the same if they go to different ports
     */
    @Override
    public synchronized void write(MemorySegment memory) {
        checkPresent(Errno.EPIPE);
        if (memory.byteSize() < UmadHeader.BYTES + MIN_MESSAGE) {
            throw new RdmaException(
                    Errno.EINVAL,
                    memory.byteSize() + " bytes are fewer than a header of " + UmadHeader.BYTES + " and a message of "
                            + MIN_MESSAGE);
        }
        UmadHeader header = UmadHeader.read(memory, port);
        MadAgent agent = agent(header.id());
        MemorySegment message =
                MemorySegment.ofArray(memory.asSlice(UmadHeader.BYTES).toArray(ValueLayout.JAVA_BYTE));
        if (!Mad.isResponse(message, 0)) {
            long own = Integer.toUnsignedLong(agent.number()) << Integer.SIZE;
            Mad.TRANSACTION_ID.put(message, 0, own | Mad.TRANSACTION_ID.get(message, 0) & 0xFFFF_FFFFL);
        }
        MadSend send = MadSend.request(header.address(), message, header.timeoutMs(), header.retries());
        if (outstanding.stream().anyMatch(other -> isDuplicate(other, send))) {
            throw new RdmaException(Errno.EINVAL, send + " is in progress already");
        }
        agent.send(send);
        outstanding.add(send);
    }

    private static boolean isDuplicate(MadSend posted, MadSend added) {
        if (posted.transactionId() != added.transactionId()
                || Mad.MGMT_CLASS.get(posted.message(), 0) != Mad.MGMT_CLASS.get(added.message(), 0)) {
            return false;
        }
        return !Mad.isResponse(added.message(), 0)
                || Mad.isResponse(posted.message(), 0) && isSameDestination(posted.to(), added.to());
    }

    private static boolean isSameDestination(MadAddress a, MadAddress b) {
        Gid gid = a.gid();
        return gid == null || b.gid() == null ? a.lid() == b.lid() : Objects.equals(gid, b.gid());
    }

    private void sent(int id, MadSend send, WcStatus status) {
        synchronized (this) {
            outstanding.removeIf(other -> other == send);
            if (status != WcStatus.RESP_TIMEOUT_ERR || closed || agents[id] == null) {
                return;
            }
            add(
                    new UmadHeader(
                            id,
                            Errno.ETIMEDOUT.code(),
                            send.timeoutMs(),
                            send.retries(),
                            UmadHeader.BYTES + Mad.HEADER_BYTES,
                            send.to()),
                    send.message().asSlice(0, Mad.HEADER_BYTES));
        }
        readable.run();
    }

    private void received(int id, ReceivedMad received) {
        try (received) {
            synchronized (this) {
                if (closed || agents[id] == null) {
                    return;
                }
                int length = UmadHeader.BYTES + received.lengthBytes();
                add(new UmadHeader(id, 0, 0, 0, length, received.from()), received.coalesce());
            }
        }
        readable.run();
    }

    private void add(UmadHeader header, MemorySegment message) {
        if (queue.size() == limit) {
            dropped++;
            return;
        }
        MemorySegment packet = MemorySegment.ofArray(new byte[header.length()]);
        header.write(packet);
        MemorySegment.copy(message, 0, packet, UmadHeader.BYTES, message.byteSize());
        queue.add(packet);
    }

    // Reading

    /** {@return true if {@link #read} has something to read or to report} */
    public synchronized boolean isReadable() {
        return removed || !queue.isEmpty();
    }

    /** {@return the number of messages that were lost because too many waited} */
    public synchronized long dropped() {
        return dropped;
    }

    /**
     * Takes the next message: a {@link UmadHeader}, and the message, or after a timeout the 24-byte header of the
     * request, with the status ETIMEDOUT.
     *
     * @param buffer gets header and message
     * @return the number of bytes
     * @throws RdmaException EAGAIN if there is nothing; EIO if the device was removed; EINVAL if the buffer is smaller
     *     than header and first datagram; ENOSPC if it is smaller than a message of several datagrams: the buffer then
     *     has header and first datagram, and the message can be read again
     */
    @Override
    public synchronized int read(MemorySegment buffer) {
        int length = copy(first(), buffer);
        queue.remove();
        return length;
    }

    /**
     * Takes the next message as a whole, with its header.
     *
     * @return new memory
     * @throws RdmaException EAGAIN if there is nothing; EIO if the device was removed
     */
    public synchronized MemorySegment take() {
        MemorySegment packet = first();
        queue.remove();
        return packet;
    }

    private MemorySegment first() {
        checkPresent(Errno.EIO);
        MemorySegment packet = queue.peek();
        if (packet == null) {
            throw new RdmaException(Errno.EAGAIN, "no message has arrived");
        }
        return packet;
    }

    /**
     * Copies a message of {@link #take} by the rules of {@link #read}.
     *
     * @param packet header and message
     * @param buffer gets header and message
     * @return the number of bytes
     * @throws RdmaException EINVAL or ENOSPC if the buffer is too small
     */
    public static int copy(MemorySegment packet, MemorySegment buffer) {
        long length = packet.byteSize();
        long first = Math.min(length, UmadHeader.BYTES + Mad.BYTES);
        if (buffer.byteSize() < first) {
            throw new RdmaException(
                    Errno.EINVAL, "a buffer of " + buffer.byteSize() + " bytes is smaller than the first " + first);
        }
        MemorySegment.copy(packet, 0, buffer, 0, buffer.byteSize() < length ? first : length);
        if (buffer.byteSize() < length) {
            throw new RdmaException(
                    Errno.ENOSPC,
                    "a buffer of " + buffer.byteSize() + " bytes is smaller than the message of " + length);
        }
        return (int) length;
    }

    /** The device was removed: reads fail with EIO, writes and registrations with EPIPE. */
    public void deviceRemoved() {
        synchronized (this) {
            removed = true;
        }
        readable.run();
    }

    /** Closes all agents; drops what was not read. Idempotent. */
    @Override
    public void close() {
        List<MadAgent> all = new ArrayList<>();
        synchronized (this) {
            closed = true;
            queue.clear();
            for (MadAgent agent : agents) {
                if (agent != null) {
                    all.add(agent);
                }
            }
        }
        all.forEach(MadAgent::close);
    }
}
