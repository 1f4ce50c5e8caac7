// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.core;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Holds the state of an object: open or closed, number of users ({@code usecnt} of the kernel's objects), and presence
 * of its device. Any thread.
 */
public final class Lifecycle {
    private final Supplier<String> name;

    /** Lifecycle of the context that the object was created from; it holds {@link #removed}. */
    private final Lifecycle root;

    /** Allocated at the first user, because most objects never have one. */
    private Map<ObjectKind, Integer> users = Map.of();

    private volatile boolean closed;
    private volatile boolean removed;

    /** @param name name of the object in messages; the object has no parent */
    public Lifecycle(String name) {
        this.name = () -> name;
        this.root = this;
    }

    /** @param parent the object that this one was created from */
    public Lifecycle(String name, Lifecycle parent) {
        this(() -> name, parent);
    }

    /**
     * For kinds of objects with very many instances.
     *
     * @param name called for each message
     */
    public Lifecycle(Supplier<String> name, Lifecycle parent) {
        this.name = name;
        this.root = parent.root;
    }

    /** The name of the object in messages. */
    public String name() {
        return name.get();
    }

    public boolean isOpen() {
        return !closed;
    }

    /** @throws RdmaException EINVAL if the object is closed */
    public void checkOpen() {
        if (closed) {
            throw new RdmaException(Errno.EINVAL, name() + " is closed");
        }
    }

    /**
     * Checks that the object is usable. Calls that need the device require a present device; closing, polling and
     * fetching events still work after its removal.
     *
     * @throws RdmaException EINVAL if the object is closed, EIO if its device was removed
     */
    public void checkUsable() {
        checkOpen();
        if (root.removed) {
            throw new RdmaException(
                    Errno.EIO, name() + ": the device was removed; close what was made from it, and the context");
        }
    }

    /** Marks the device of this context as removed ({@code ib_uverbs_disassociate_ucontext}). */
    public void remove() {
        removed = true;
    }

    /**
     * Counts a user. The object cannot be closed while it has users.
     *
     * @throws RdmaException EINVAL if the object is closed, EIO if its device was removed
     */
    public synchronized void acquire(ObjectKind user) {
        checkUsable();
        if (users.isEmpty()) {
            users = new EnumMap<>(ObjectKind.class);
        }
        users.merge(user, 1, Integer::sum);
    }

    /**
     * Counts a user and creates it. If the creation throws an exception or an error, the count is restored.
     *
     * @throws RdmaException as {@link #acquire}; errors of {@code maker}
     */
    public <T> T admit(ObjectKind user, Supplier<T> maker) {
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

    /** The number of users. */
    public synchronized int users() {
        return users.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Reverts {@link #acquire}. */
    public synchronized void release(ObjectKind user) {
        users.computeIfPresent(user, (_, count) -> count == 1 ? null : count - 1);
    }

    public synchronized boolean isUsed() {
        return !users.isEmpty();
    }

    /**
     * Closes the object.
     *
     * @return false if it was closed before
     * @throws RdmaException EBUSY while it has users
     */
    public synchronized boolean close() {
        return close(() -> {});
    }

    /**
     * As {@link #close()}, for objects that the provider may refuse to destroy.
     *
     * @param destroy destroys the provider's object; if it throws, this object stays open
     */
    public synchronized boolean close(Runnable destroy) {
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
