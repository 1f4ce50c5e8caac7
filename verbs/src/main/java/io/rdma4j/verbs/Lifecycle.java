package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Whether an object is open, how many others use it (the {@code usecnt} of the kernel's objects), and whether its device is
 * still there. Any thread.
 */
final class Lifecycle {
    private final Supplier<String> name;

    /** Of the context that the object was made from: there its removal is noted. */
    private final Lifecycle root;

    /** Most objects never have any. */
    private Map<ObjectKind, Integer> users = Map.of();

    private volatile boolean closed;
    private volatile boolean removed;

    /** @param name what messages call the object, which belongs to no other one */
    Lifecycle(String name) {
        this.name = () -> name;
        this.root = this;
    }

    /** @param parent the object it was made from */
    Lifecycle(String name, Lifecycle parent) {
        this(() -> name, parent);
    }

    /**
     * For objects of which there may be very many.
     *
     * @param name asked for each message
     */
    Lifecycle(Supplier<String> name, Lifecycle parent) {
        this.name = name;
        this.root = parent.root;
    }

    /** What messages call the object. */
    String name() {
        return name.get();
    }

    /** False once the object is closed. */
    boolean isOpen() {
        return !closed;
    }

    /** @throws RdmaException EINVAL once the object is closed */
    void checkOpen() {
        if (closed) {
            throw new RdmaException(Errno.EINVAL, name() + " is closed");
        }
    }

    /**
     * What the device must do can be asked for as long as it is there; closing, polling and fetching events go on after that.
     *
     * @throws RdmaException EINVAL once the object is closed, EIO once its device was removed
     */
    void checkUsable() {
        checkOpen();
        if (root.removed) {
            throw new RdmaException(
                    Errno.EIO, name() + ": the device was removed; close what was made from it, and the context");
        }
    }

    /** The device of this context is gone ({@code ib_uverbs_disassociate_ucontext}). */
    void remove() {
        removed = true;
    }

    /**
     * Counts a user, which keeps the object from being closed.
     *
     * @throws RdmaException EINVAL once the object is closed, EIO once its device was removed
     */
    synchronized void acquire(ObjectKind user) {
        checkUsable();
        if (users.isEmpty()) {
            users = new EnumMap<>(ObjectKind.class);
        }
        users.merge(user, 1, Integer::sum);
    }

    /**
     * Makes a user: counts it, and takes the count back if making it fails, by an exception or an error.
     *
     * @throws RdmaException as {@link #acquire}; whatever {@code maker} throws
     */
    <T> T admit(ObjectKind user, Supplier<T> maker) {
        acquire(user);
        boolean made = false;
        try {
            T result = maker.get();
            made = true;
            return result;
        } finally {
            if (!made) {
                release(user);
            }
        }
    }

    /** How many others use the object. */
    synchronized int users() {
        return users.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** A user is gone. */
    synchronized void release(ObjectKind user) {
        users.computeIfPresent(user, (_, count) -> count == 1 ? null : count - 1);
    }

    /** True while others use it. */
    synchronized boolean isUsed() {
        return !users.isEmpty();
    }

    /**
     * Closes the object for further use.
     *
     * @return false if it was closed before: there is nothing to do then
     * @throws RdmaException EBUSY while others use it
     */
    synchronized boolean close() {
        return close(() -> {});
    }

    /**
     * The same where the provider may refuse.
     *
     * @param destroy what the provider does; if it throws, the object stays open
     */
    synchronized boolean close(Runnable destroy) {
        if (closed) {
            return false;
        }
        if (!users.isEmpty()) {
            String by = users.entrySet().stream()
                    .map(user -> user.getKey().count(user.getValue()))
                    .collect(Collectors.joining(", "));
            throw new RdmaException(Errno.EBUSY, name() + " is still used by " + by + ": close them first");
        }
        destroy.run();
        closed = true;
        return true;
    }
}
