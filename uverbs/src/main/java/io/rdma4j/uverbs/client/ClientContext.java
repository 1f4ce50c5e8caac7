package io.rdma4j.uverbs.client;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.local.PrivateDirectory;
import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.RecordCodec;
import io.rdma4j.verbs.CompletionField;
import io.rdma4j.verbs.CqCreateFlag;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.DmaAttribute;
import io.rdma4j.verbs.DmaDirection;
import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.Flags;
import io.rdma4j.verbs.GidEntry;
import io.rdma4j.verbs.Owner;
import io.rdma4j.verbs.PortAttributes;
import io.rdma4j.verbs.XrcdInitAttributes;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.CqEvents;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.DmOps;
import io.rdma4j.verbs.spi.DmaOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.spi.XrcdOps;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A connection to the server as an open device. Answers to {@code struct rxe_context}. */
final class ClientContext implements ContextOps {
    private final ClientDevice device;
    private final Connection connection;
    private final ContextEvents events;
    private final AtomicLong lastNumber = new AtomicLong();

    /** Where the events of completion queues go, by the numbers that the server tells them with. */
    private final Map<Long, CqEvents> queues = new ConcurrentHashMap<>();

    /** The same for queue pairs and shared receive queues. */
    private final Map<Long, Consumer<EventType>> others = new ConcurrentHashMap<>();

    private final int completionVectors;
    private final Path folder;
    private final ClientDoorbells doorbells;

    /** What the server says of the device: it does not change, and nearly every verb looks at it. */
    private volatile @Nullable Description description;

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
        this.folder = privateFolder(answer.getText(Attribute.FOLDER));
        this.doorbells = new ClientDoorbells(checkFile(answer, folder), connection);
    }

    /** The server runs as this user; files that it shares lie where no other user can put any. */
    private static Path privateFolder(String path) {
        Path folder = Path.of(path);
        try {
            Uninterrupted.run(() -> {
                PrivateDirectory.check(folder);
                return folder;
            });
            return folder;
        } catch (IOException e) {
            throw new RdmaException(Errno.EACCES, "the folder of the server's memory " + e.getMessage(), e);
        }
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
        Consumer<EventType> other = others.get(number);
        switch (type.element()) {
            case PORT, DEVICE -> events.event(type, event.get(Attribute.PORT));
            case CQ -> {
                if (queue != null) {
                    queue.error();
                }
            }
            case QP, SRQ -> {
                if (other != null) {
                    other.accept(type);
                }
            }
            case WQ -> throw new RdmaException(Errno.EINVAL, type + " of an object that cannot be");
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

    ClientDoorbells doorbells() {
        return doorbells;
    }

    /**
     * Has a command carried out.
     *
     * @return its answer; a file that it names lies in the folder of this session
     * @throws RdmaException what the server refuses it with, EIO if the server is gone, EACCES if the file lies elsewhere
     */
    Message call(Message command) {
        return checkFile(connection.call(command), folder);
    }

    /** A server could name any file of this user. */
    private static Message checkFile(Message answer, Path folder) {
        String file = answer.getText(Attribute.FILE);
        if (!file.isEmpty() && !isIn(folder, file)) {
            throw new RdmaException(
                    Errno.EACCES, "the server names " + file + ", which is not in the session's folder " + folder);
        }
        return answer;
    }

    private static boolean isIn(Path folder, String file) {
        try {
            Path path = Path.of(file);
            return folder.equals(path.getParent()) && path.equals(path.normalize());
        } catch (InvalidPathException e) {
            return false;
        }
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

    /** Gives an object that events come for a number that was never given before; 0 is no object's. */
    long register(Consumer<EventType> events) {
        long number = lastNumber.incrementAndGet();
        others.put(number, events);
        return number;
    }

    /** Events of that object are over. */
    void forget(long number) {
        queues.remove(number);
        others.remove(number);
    }

    @Override
    public int completionVectors() {
        return completionVectors;
    }

    private record Description(DeviceAttributes attributes, Set<CompletionField> fields, Set<CqCreateFlag> flags) {}

    private Description description() {
        Description known = description;
        if (known == null) {
            Message answer = call(new Message(Command.QUERY_DEVICE));
            int fields = answer.get(Attribute.WC_FLAGS);
            known = new Description(
                    answer.getRecord(Attribute.DEVICE, DeviceAttributes.class),
                    fields == 0
                            ? CompletionField.STANDARD
                            : Flags.of(CompletionField.class, fields, CompletionField::bit),
                    Flags.of(CqCreateFlag.class, answer.get(Attribute.CQ_FLAGS), CqCreateFlag::bit));
            description = known;
        }
        return known;
    }

    @Override
    public DeviceAttributes queryDevice() {
        return description().attributes();
    }

    /** A server of version 2 does not say. */
    @Override
    public Set<CompletionField> completionFields() {
        return description().fields();
    }

    @Override
    public Set<CqCreateFlag> completionQueueFlags() {
        return description().flags();
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
        ClientPd.refuse(attributes.queueMemory());
        long number = lastNumber.incrementAndGet();
        queues.put(number, cqEvents);
        try {
            return new ClientCq(this, number, attributes);
        } catch (RuntimeException e) {
            forget(number);
            throw e;
        }
    }

    @Override
    public int localDmaLkey() {
        return call(new Message(Command.QUERY_LOCAL_DMA_LKEY)).get(Attribute.LKEY);
    }

    @Override
    public XrcdOps openXrcDomain(XrcdInitAttributes attributes) {
        return ClientXrcd.open(this, attributes);
    }

    @Override
    public DmOps allocateDeviceMemory(long length, long alignment) {
        Message answer = call(new Message(Command.ALLOC_DM)
                .putLong(Attribute.SIZE, length)
                .put(Attribute.LOG_ALIGNMENT, Long.numberOfTrailingZeros(alignment)));
        return new ClientDm(this, answer.get(Attribute.HANDLE));
    }

    @Override
    public DmaOps mapDma(MemorySegment segment, DmaDirection direction, Set<DmaAttribute> attributes) {
        Message request = new Message(Command.MAP_DMA)
                .put(Attribute.DMA_DIRECTION, direction.ordinal())
                .put(Attribute.DMA_ATTRIBUTES, (int) Flags.mask(attributes, one -> 1L << one.ordinal()));
        Message answer = call(ClientMemory.put(request, List.of(segment)));
        return new ClientDma(this, answer.get(Attribute.HANDLE), answer.getLong(Attribute.DMA_ADDRESS));
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
