// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Connects queue pairs by IP address and port: rdma_cm for one host. Has no thread and no clock; {@link LocalDevices}
 * bring the messages and the time. Any thread: one lock protects all ids, and the communication managers of all
 * devices.
 */
public final class RdmaCm {
    private static final int PSN_BITS = 24;

    private final ReentrantLock lock = new ReentrantLock();
    private final Queue<Runnable> deferred = new ConcurrentLinkedQueue<>();
    private final Set<RdmaId> ids = new LinkedHashSet<>();
    private final SplittableRandom random;
    final LocalDevices devices;
    final RdmaCmOptions options;
    final PortTable ports;
    final ListenTable listeners;

    /** Waits for a condition with the lock. */
    interface Waiting<T> {
        T get() throws InterruptedException;
    }

    /**
     * Makes rdma_cm without ids.
     *
     * @param devices of the host
     * @param options settings
     */
    public RdmaCm(LocalDevices devices, RdmaCmOptions options) {
        this.devices = devices;
        this.options = options;
        random = new SplittableRandom(options.seed());
        ports = new PortTable(random.split(), options);
        listeners = new ListenTable(this);
    }

    /** {@return a new channel without ids} Corresponds to {@code rdma_create_event_channel}. */
    public EventChannel createChannel() {
        return new EventChannel(this);
    }

    /**
     * {@return a new id in state IDLE} Corresponds to {@code rdma_create_id}. The caller closes it.
     *
     * @param channel gets the events; null makes a synchronous id, whose calls wait for their events and return or
     * throw
     *     the outcome
     * @param space of the port numbers
     */
    public RdmaId createId(@Nullable EventChannel channel, PortSpace space) {
        return locked(() -> new RdmaId(this, channel == null ? createChannel() : channel, space, channel == null));
    }

    /** {@return the ids that are not destroyed, oldest first; a copy} */
    public List<RdmaId> ids() {
        return locked(() -> List.copyOf(ids));
    }

    /**
     * Lets wildcard listeners use a device that has appeared.
     *
     * @param device a new device
     */
    public void deviceAdded(LocalDevice device) {
        locked(() -> {
            listeners.deviceAdded(device);
            return true;
        });
    }

    /**
     * Tells all ids of a device that it was removed: they get DEVICE_REMOVAL. Wildcard listeners go on without it.
     *
     * @param device the removed device
     */
    public void deviceRemoved(LocalDevice device) {
        locked(() -> {
            listeners.deviceRemoved(device);
            List.copyOf(ids).forEach(id -> id.deviceRemoved(device));
            return true;
        });
    }

    /** {@return the lock of all ids and of the communication managers, for the implementation of the devices} */
    public ReentrantLock lock() {
        return lock;
    }

    /**
     * Completes the futures of events that arrived while another object held the lock. The driver of a device calls it
     * after it has processed messages and timers, without the lock.
     */
    public void completeFutures() {
        if (!lock.isHeldByCurrentThread()) {
            for (Runnable action = deferred.poll(); action != null; action = deferred.poll()) {
                action.run();
            }
        }
    }

    <T extends @Nullable Object> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
            completeFutures();
        }
    }

    <T extends @Nullable Object> T lockedInterruptibly(Waiting<T> action) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            return action.get();
        } finally {
            lock.unlock();
            completeFutures();
        }
    }

    // With the lock:

    /** Runs an action soon, without the lock. */
    void defer(Runnable action) {
        deferred.add(action);
    }

    Condition newCondition() {
        return lock.newCondition();
    }

    int newPsn() {
        return random.nextInt(1 << PSN_BITS);
    }

    void add(RdmaId id) {
        ids.add(id);
    }

    void remove(RdmaId id) {
        ids.remove(id);
    }

    static RdmaException invalid(String message) {
        return new RdmaException(Errno.EINVAL, message);
    }
}
