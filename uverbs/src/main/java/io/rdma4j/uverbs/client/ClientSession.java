// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.local.PrivateDirectory;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.ResourceCodec;
import io.rdma4j.uverbs.abi.Worker;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.CqEvents;
import io.rdma4j.verbs.values.CqCreateFlag;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.Flags;
import io.rdma4j.verbs.values.Owner;
import io.rdma4j.verbs.wr.CompletionField;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The client's side of a session: commands, events, doorbells and the directory of shared files of one open context.
 * The context and its objects use it.
 */
final class ClientSession {
    private final ServerConnection connection;
    private final ContextEvents events;
    private final AtomicLong lastNumber = new AtomicLong();

    /** Event handlers of completion queues, by the number that the server puts into events. */
    private final Map<Long, CqEvents> queues = new ConcurrentHashMap<>();

    /** Handlers of files of ib_umad and of CM channels that become readable, by the same kind of number. */
    private final Map<Long, Runnable> readables = new ConcurrentHashMap<>();

    /** Handlers of memberships in multicast groups, by the same kind of number. */
    private final Map<Long, Consumer<Message>> groups = new ConcurrentHashMap<>();

    /** The same for queue pairs and shared receive queues. */
    private final Map<Long, Consumer<EventType>> others = new ConcurrentHashMap<>();

    private final int completionVectors;
    private final boolean optionalAccess;
    private final Path folder;
    private final ClientDoorbells doorbells;

    /** Cached because it does not change and nearly every verb reads it. */
    private volatile @Nullable Description description;

    private volatile boolean closed;

    /** Opens a context on the server ({@code ibv_cmd_get_context}). */
    ClientSession(ServerConnection connection, ContextEvents events) {
        this.connection = connection;
        this.events = events;
        connection.start(this::dispatch, this::ended);
        Owner self = Owner.current();
        Message answer = connection.call(new Message(CommandType.GET_CONTEXT)
                .putLong(CommandAttribute.PID, self.pid())
                .putText(CommandAttribute.COMM, self.comm()));
        this.completionVectors = answer.get(CommandAttribute.COMP_VECTORS);
        this.optionalAccess =
                (answer.getLong(CommandAttribute.CORE_SUPPORT) & CommandAttribute.OPTIONAL_MR_ACCESS) != 0;
        this.folder = privateFolder(answer.getText(CommandAttribute.FOLDER));
        this.doorbells = new ClientDoorbells(checkFile(answer, folder), connection);
    }

    /** The server runs as this user, so its shared files are in a directory to which no other user can write. */
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
        long number = event.getLong(CommandAttribute.USER_HANDLE);
        CqEvents queue = queues.get(number);
        if (event.command() == CommandType.COMPLETION_EVENT) {
            if (queue != null) {
                queue.completion();
            }
            return;
        }
        if (event.command() == CommandType.UMAD_EVENT || event.command() == CommandType.CM_EVENT) {
            readables.getOrDefault(number, () -> {}).run();
            return;
        }
        if (event.command() == CommandType.GROUP_EVENT) {
            groups.getOrDefault(number, _ -> {}).accept(event);
            return;
        }
        if (event.command() == CommandType.RESOURCES_EVENT) {
            // Another thread, because a lock of the other modules may be held during a call.
            Worker.run("uverbs resources", () -> report(number));
            return;
        }
        EventType type = EventType.ofCode(event.get(CommandAttribute.EVENT_TYPE));
        Consumer<EventType> other = others.get(number);
        switch (type.element()) {
            case PORT, DEVICE -> events.event(type, event.get(CommandAttribute.PORT));
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

    private void report(long number) {
        connection.sendUnanswered(new Message(CommandType.REPORT_RESOURCES)
                .putLong(CommandAttribute.USER_HANDLE, number)
                .putBytes(CommandAttribute.RESOURCES, ResourceCodec.encode(events.resources())));
    }

    /** The server has closed the connection: reports the device as lost. */
    private void ended() {
        if (!closed) {
            events.event(EventType.DEVICE_FATAL, 0);
        }
    }

    int completionVectors() {
        return completionVectors;
    }

    boolean understandsOptionalAccess() {
        return optionalAccess;
    }

    /** Directory of the files that client and server map. */
    Path folder() {
        return folder;
    }

    ServerConnection connection() {
        return connection;
    }

    ClientDoorbells doorbells() {
        return doorbells;
    }

    /**
     * Sends a command and waits for its answer.
     *
     * @return the answer; a file that it names is in the directory of this session
     * @throws RdmaException the server's error; EIO if the server has ended; EACCES if the file is in another directory
     */
    Message call(Message command) {
        return checkFile(connection.call(command), folder);
    }

    /** A server could name any file of this user. */
    private static Message checkFile(Message answer, Path folder) {
        String file = answer.getText(CommandAttribute.FILE);
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

    /** Destroys an object on the server; succeeds if the server has ended, because its objects ended with it. */
    void destroy(CommandType command, int handle) {
        try {
            call(new Message(command).put(CommandAttribute.HANDLE, handle));
        } catch (RdmaException e) {
            if (e.errno() != Errno.EIO) {
                throw e;
            }
        }
    }

    /** Registers an event handler and returns its number, which is never reused; 0 is not used. */
    long register(Consumer<EventType> events) {
        long number = lastNumber.incrementAndGet();
        others.put(number, events);
        return number;
    }

    /** The same for a completion queue. */
    long registerQueue(CqEvents events) {
        long number = lastNumber.incrementAndGet();
        queues.put(number, events);
        return number;
    }

    /** The same for a file of ib_umad or a CM channel. */
    long registerReadable(Runnable readable) {
        long number = lastNumber.incrementAndGet();
        readables.put(number, readable);
        return number;
    }

    /** The same for a membership in a multicast group; its handler must not wait for a command. */
    long registerGroup(Consumer<Message> handler) {
        long number = lastNumber.incrementAndGet();
        groups.put(number, handler);
        return number;
    }

    /** Removes the event handler with this number. */
    void forget(long number) {
        groups.remove(number);
        queues.remove(number);
        readables.remove(number);
        others.remove(number);
    }

    record Description(DeviceAttributes attributes, Set<CompletionField> fields, Set<CqCreateFlag> flags) {}

    /** Returns what the server says about the device. */
    Description description() {
        Description known = description;
        if (known == null) {
            Message answer = call(new Message(CommandType.QUERY_DEVICE));
            int fields = answer.get(CommandAttribute.WC_FLAGS);
            known = new Description(
                    answer.getRecord(CommandAttribute.DEVICE, DeviceAttributes.class),
                    fields == 0
                            ? CompletionField.STANDARD
                            : Flags.of(CompletionField.class, fields, CompletionField::bit),
                    Flags.of(CqCreateFlag.class, answer.get(CommandAttribute.CQ_FLAGS), CqCreateFlag::bit));
            description = known;
        }
        return known;
    }

    /** Closes the connection; the server then closes all objects of this session. */
    void close() {
        closed = true;
        connection.close();
    }
}
