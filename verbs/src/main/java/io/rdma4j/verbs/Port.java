// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.device.PortInfo;
import io.rdma4j.verbs.device.PortModification;
import io.rdma4j.verbs.device.PortNotice;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.state.PortAnnouncements;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Manages a port of an open device. Used by subnet managers, agents, connection managers and tools. An application that
 * only sends through the port needs {@link Context#queryPort} and not this class. Any thread; nothing to close.
 */
public final class Port {
    private final Context context;
    private final int number;

    /**
     * @param number an existing port
     */
    Port(Context context, int number) {
        this.context = context;
        this.number = number;
    }

    /** {@return the port number, from 1} */
    public int number() {
        return number;
    }

    /** {@return the state and the tables of the port} Corresponds to {@code ib_query_port}. */
    public PortAttributes query() {
        return context.queryPort(number);
    }

    /**
     * {@return the port's GUID: the lower half of the first entry of its GID table (IBA 4.1.1)} Corresponds to
     * {@code Port GUID} in the output of {@code ibstat}.
     */
    public long guid() {
        return context.queryGid(number, 0).interfaceId();
    }

    /**
     * Changes attributes of the port, all or none. Corresponds to {@code ib_modify_port}.
     *
     * @param change the attributes to change; absent attributes keep their value
     * @throws RdmaException EOPNOTSUPP if the device lacks a required capability ({@link
     *     DeviceCapability#SHUTDOWN_PORT}, {@link DeviceCapability#INIT_TYPE} or {@link
     *     DeviceCapability#BAD_QKEY_CNTR}); EINVAL for a capability that only the port itself sets, such as {@link
     *     PortCapability#IP_BASED_GIDS}
     */
    public void modify(PortModification change) {
        if (change.shutdown()) {
            context.admission().require(DeviceCapability.SHUTDOWN_PORT);
        }
        if (change.initType().isPresent()) {
            context.admission().require(DeviceCapability.INIT_TYPE);
        }
        if (change.resetQkeyCounter()) {
            context.admission().require(DeviceCapability.BAD_QKEY_CNTR);
        }
        ops().modifyPort(number, change);
    }

    /**
     * {@return the PortInfo attribute, as SubnGet(PortInfo) reads it}
     *
     * @throws RdmaException EOPNOTSUPP if the device has no PortInfo
     */
    public PortInfo info() {
        return ops().queryPortInfo(number);
    }

    /**
     * Writes the PortInfo attribute, as SubnSet(PortInfo) of a subnet manager does. Raises {@link
     * io.rdma4j.verbs.values.EventType#LID_CHANGE}, {@link io.rdma4j.verbs.values.EventType#SM_CHANGE}, {@link
     * io.rdma4j.verbs.values.EventType#GID_CHANGE} and {@link io.rdma4j.verbs.values.EventType#CLIENT_REREGISTER} as
     * the values require. Raises {@link io.rdma4j.verbs.values.EventType#PORT_ACTIVE} when the port becomes active and
     * {@link io.rdma4j.verbs.values.EventType#PORT_ERR} when it ceases to be active.
     *
     * @param info all values, not only those that change: start from {@link #info}
     * @throws RdmaException EINVAL for a state that may not follow the present one (IBA 14.2.5.6): ARMED follows INIT,
     *     ACTIVE follows ARMED, DOWN is always allowed; EOPNOTSUPP if the device has no PortInfo. On an error nothing
     *     has changed.
     */
    public void setInfo(PortInfo info) {
        ops().setPortInfo(number, info);
    }

    /**
     * Sets a capability bit that announces a listening agent to the subnet. The device counts the announcements: the
     * port keeps the capability until the last {@link PortAnnouncement} of it is closed. For agents of management
     * classes and connection managers.
     *
     * @param capability one for which {@link PortCapability#isOfAgent} is true
     * @return the announcement; the caller closes it to withdraw it
     * @throws RdmaException EINVAL for a capability of another kind
     */
    public PortAnnouncement announce(PortCapability capability) {
        if (!capability.isOfAgent()) {
            throw new RdmaException(
                    Errno.EINVAL, capability + " does not say that an agent listens: see PortModification");
        }
        Set<PortCapability> one = Set.of(capability);
        PortAnnouncements all = context.device().announcements();
        return context.life().admit(ObjectKind.PORT_ANNOUNCEMENT, () -> {
            all.add(number, capability, () -> modify(PortModification.ofCapabilities(one, Set.of())));
            return new PortAnnouncement(capability, () -> {
                all.remove(number, capability, () -> withdraw(one));
                context.life().release(ObjectKind.PORT_ANNOUNCEMENT);
            });
        });
    }

    private void withdraw(Set<PortCapability> capabilities) {
        if (context.device().isPresent()) {
            modify(PortModification.ofCapabilities(Set.of(), capabilities));
        }
    }

    /**
     * Measures the round-trip time to another port. The calling thread waits for the answer and drives the device
     * meanwhile. Corresponds to {@code LinkRoundTripLatency}.
     *
     * @param peer a GID of the other port
     * @param timeout maximum time to wait; zero polls once
     * @return nanoseconds
     * @throws RdmaException EOPNOTSUPP unless the port has {@link PortCapability#LINK_LATENCY_SUP}; ETIMEDOUT if no
     *     answer arrives in time; ENETUNREACH or EHOSTUNREACH if there is no route
     */
    public long measureLatency(Gid peer, Duration timeout) {
        if (!query().capabilities().contains(PortCapability.LINK_LATENCY_SUP)) {
            throw new RdmaException(Errno.EOPNOTSUPP, this + " cannot measure its link: it lacks LINK_LATENCY_SUP");
        }
        return ops().measureLatency(number, peer, timeout);
    }

    /**
     * Removes the oldest notice of the port: SubnGet(Notice) and the SubnSet that follows it. The port queues notices
     * only while it has {@link PortCapability#NOTICE_SUP}. Changes of its capabilities also require
     * {@link PortCapability#CAP_MASK_NOTICE_SUP}.
     *
     * @return the oldest notice, null if there is none
     */
    public @Nullable PortNotice pollNotice() {
        return ops().pollNotice(number);
    }

    /**
     * Registers a handler for the traps of the port, as a subnet manager does. The port sends traps while it has
     * {@link PortCapability#TRAP_SUP}. The handler runs on the thread that detected the event, which may be the
     * device's. It must neither block nor change objects of the device.
     *
     * @param handler called once for each trap
     * @return the registration; the caller closes it to remove the handler
     * @throws RdmaException EINVAL if the context is closed, EIO once the device is removed
     */
    public TrapRegistration onTrap(Consumer<PortNotice> handler) {
        context.life().checkUsable();
        TrapRegistration registration = new TrapRegistration(context.traps(), number, handler);
        context.traps().add(registration);
        return registration;
    }

    private ContextOps ops() {
        context.life().checkUsable();
        return context.ops();
    }

    @Override
    public String toString() {
        return context.device() + "/" + number;
    }
}
