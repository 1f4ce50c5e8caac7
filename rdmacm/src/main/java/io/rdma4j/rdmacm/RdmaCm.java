// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.Owner;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.Resource;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Connects queue pairs by IP address and port: rdma_cm for one host. Has no thread and no clock; {@link LocalDevices}
 * bring the messages and the time. Any thread: one lock protects all ids, and the communication managers of all
 * devices.
 */
public final class RdmaCm {
    private final ManagerParts parts;

    /**
     * Makes rdma_cm without ids.
     *
     * @param devices of the host
     * @param options settings
     */
    public RdmaCm(LocalDevices devices, RdmaCmOptions options) {
        parts = new ManagerParts(devices, options);
    }

    /** {@return a new channel without ids} Corresponds to {@code rdma_create_event_channel}. */
    public EventChannel createChannel() {
        return new EventChannel(parts.lock);
    }

    /**
     * {@return a new id in state IDLE} Corresponds to {@code rdma_create_id}. The caller closes it.
     *
     * @param channel gets the events; null makes a synchronous id, whose calls wait for their events and return or
     *     throw the outcome
     * @param space of the port numbers
     */
    public RdmaId createId(@Nullable EventChannel channel, PortSpace space) {
        return createId(channel, space, space.qpType());
    }

    /**
     * {@return a new id in state IDLE for queue pairs of a certain type} The caller closes it.
     *
     * @param channel as in {@link #createId(EventChannel, PortSpace)}
     * @param space of the port numbers; {@link PortSpace#IB} for other types than its own
     * @param type of the queue pairs; XRC_INI to connect and XRC_TGT to listen for extended reliable connections
     * @throws RdmaException EINVAL if the port space does not have the type
     */
    public RdmaId createId(@Nullable EventChannel channel, PortSpace space, QpType type) {
        if (!space.allows(type)) {
            throw IdErrors.invalid("port space " + space + " has no queue pairs of type " + type);
        }
        return parts.lock.locked(
                () -> new RdmaId(parts, channel == null ? createChannel() : channel, space, type, channel == null));
    }

    /** {@return the ids that are not destroyed, oldest first; a copy} */
    public List<RdmaId> ids() {
        return parts.lock.locked(
                () -> parts.ids.stream().map(RdmaId.class::cast).toList());
    }

    /**
     * {@return the ids of a device as {@code rdma resource show cm_id} has them, oldest first} A listener on a wildcard
     * is one of each device.
     *
     * @param device of the ids
     * @param owner the process
     */
    public List<Resource> resources(LocalDevice device, Owner owner) {
        return parts.lock.locked(() -> parts.ids.stream()
                .map(RdmaId.class::cast)
                .filter(id -> id.uses(device))
                .map(id -> IdResource.of(id, owner))
                .toList());
    }

    /** Lets wildcard listeners use the devices that have appeared. */
    public void devicesAdded() {
        parts.lock.locked(() -> {
            parts.listeners.devicesAdded();
            return true;
        });
    }

    /**
     * Tells the ids whose address a device has lost: they get ADDR_CHANGE.
     *
     * @param device its addresses have changed
     */
    public void addressesChanged(LocalDevice device) {
        parts.lock.locked(() -> {
            List.copyOf(parts.ids).forEach(id -> id.addressesChanged(device));
            return true;
        });
    }

    /**
     * Tells all ids of a device that it was removed: they get DEVICE_REMOVAL. Wildcard listeners go on without it.
     *
     * @param device the removed device
     */
    public void deviceRemoved(LocalDevice device) {
        parts.lock.locked(() -> {
            parts.listeners.deviceRemoved(device);
            parts.ports.deviceRemoved(device);
            List.copyOf(parts.ids).forEach(id -> id.deviceRemoved(device));
            return true;
        });
    }

    /** {@return the lock of all ids and of the communication managers, for the implementation of the devices} */
    public ReentrantLock lock() {
        return parts.lock.lock();
    }

    /**
     * Completes the futures of events that arrived while another object held the lock. The driver of a device calls it
     * after it has processed messages and timers, without the lock.
     */
    public void completeFutures() {
        parts.lock.runDeferred();
    }
}
