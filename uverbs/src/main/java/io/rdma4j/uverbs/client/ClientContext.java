package io.rdma4j.uverbs.client;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.RecordCodec;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.GidEntry;
import io.rdma4j.verbs.Owner;
import io.rdma4j.verbs.PortAttributes;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.CqEvents;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.PdOps;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A connection to the server as an open device. Answers to {@code struct rxe_context}. */
final class ClientContext implements ContextOps {
    private final ClientDevice device;
    private final Connection connection;
    private final ContextEvents events;
    private final AtomicLong lastNumber = new AtomicLong();
    private final Map<Long, CqEvents> queues = new ConcurrentHashMap<>();
    private final Map<Long, ClientQp> pairs = new ConcurrentHashMap<>();
    private final int completionVectors;
    private final Path folder;

    /** They do not change, and nearly every verb looks at them. */
    private volatile @Nullable DeviceAttributes attributes;

    private volatile boolean closed;

    /** Gets the context confirmed by the server ({@code ibv_cmd_get_context}). */
    ClientContext(ClientDevice device, Connection connection, ContextEvents events) {
        this.device = device;
        this.connection = connection;
        this.events = events;
        connection.start(this::dispatch, this::ended);
        Owner self = Owner.current();
        Message answer = connection.call(new Message(Command.GET_CONTEXT)
                .putLong(Attribute.PID, self.pid())
                .putText(Attribute.COMM, self.comm()));
        this.completionVectors = answer.get(Attribute.COMP_VECTORS);
        this.folder = Path.of(answer.getText(Attribute.FOLDER));
    }

    private void dispatch(Message event) {
        long number = event.getLong(Attribute.USER_HANDLE);
        CqEvents queue = queues.get(number);
        if (event.command() == Command.COMPLETION_EVENT) {
            if (queue != null) {
                queue.completion();
            }
            return;
        }
        EventType type = EventType.ofCode(event.get(Attribute.EVENT_TYPE));
        ClientQp pair = pairs.get(number);
        switch (type.element()) {
            case PORT, DEVICE -> events.event(type, event.get(Attribute.PORT));
            case CQ -> {
                if (queue != null) {
                    queue.error();
                }
            }
            case QP -> {
                if (pair != null) {
                    pair.onEvent(type);
                }
            }
            case SRQ, WQ -> throw new RdmaException(Errno.EINVAL, type + " of an object that cannot be");
        }
    }

    /** The server is gone: what it served is not there any more. */
    private void ended() {
        if (!closed) {
            events.event(EventType.DEVICE_FATAL, 0);
        }
    }

    Connection connection() {
        return connection;
    }

    Message call(Message command) {
        return connection.call(command);
    }

    /** Makes the server destroy an object; if it is gone, so is the object. */
    void destroy(Command command, int handle) {
        try {
            call(new Message(command).put(Attribute.HANDLE, handle));
        } catch (RdmaException e) {
            if (e.errno() != Errno.EIO) {
                throw e;
            }
        }
    }

    /** A number for an object that events come for, never given before; 0 is nobody's. */
    long nextNumber() {
        return lastNumber.incrementAndGet();
    }

    void add(long number, ClientQp pair) {
        pairs.put(number, pair);
    }

    /** Events of that object are over. */
    void forget(long number) {
        queues.remove(number);
        pairs.remove(number);
    }

    @Override
    public int completionVectors() {
        return completionVectors;
    }

    @Override
    public DeviceAttributes queryDevice() {
        DeviceAttributes known = attributes;
        if (known == null) {
            known = call(new Message(Command.QUERY_DEVICE)).getRecord(Attribute.DEVICE, DeviceAttributes.class);
            attributes = known;
        }
        return known;
    }

    private Message atPort(Command command, int port) {
        return call(new Message(command).put(Attribute.PORT, port));
    }

    private Message atPort(Command command, int port, int index) {
        return call(new Message(command).put(Attribute.PORT, port).put(Attribute.INDEX, index));
    }

    @Override
    public PortAttributes queryPort(int port) {
        return atPort(Command.QUERY_PORT, port).getRecord(Attribute.PORT_ATTRIBUTES, PortAttributes.class);
    }

    @Override
    public Map<String, Long> queryHwCounters(int port) {
        return RecordCodec.decodeMap(atPort(Command.QUERY_COUNTERS, port).getBytes(Attribute.COUNTERS));
    }

    @Override
    public @Nullable GidEntry queryGid(int port, int index) {
        try {
            return atPort(Command.QUERY_GID, port, index).getRecord(Attribute.GID_ENTRY, GidEntry.class);
        } catch (RdmaException e) {
            if (e.errno() == Errno.ENODATA) {
                return null;
            }
            throw e;
        }
    }

    @Override
    public int queryPkey(int port, int index) {
        return atPort(Command.QUERY_PKEY, port, index).get(Attribute.PKEY);
    }

    /** In a file, since the server must map it, too. */
    @Override
    public MemorySegment allocateBuffer(long length, long alignment, Arena arena) {
        return SharedMemory.allocate(folder, length, alignment, arena);
    }

    @Override
    public PdOps allocatePd() {
        return new ClientPd(this, call(new Message(Command.ALLOC_PD)).get(Attribute.HANDLE));
    }

    @Override
    public CqOps createCq(CqInitAttributes attributes, CqEvents cqEvents) {
        long number = nextNumber();
        queues.put(number, cqEvents);
        try {
            return new ClientCq(this, number, attributes);
        } catch (RuntimeException e) {
            forget(number);
            throw e;
        }
    }

    /** The server's threads go on by themselves. */
    @Override
    public void beforeBlocking() {}

    @Override
    public void close() {
        closed = true;
        connection.close();
    }

    @Override
    public String toString() {
        return device.name();
    }
}
