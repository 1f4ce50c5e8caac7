package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.ContextOps;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A port of an open device, for who manages it: subnet managers, agents, the connection manager, tools. Programs that only send
 * through it need {@link Context#queryPort} and nothing of this. Any thread; there is nothing to close.
 */
public final class Port {
    private final Context context;
    private final int number;

    /** @param number in range */
    Port(Context context, int number) {
        this.context = context;
        this.number = number;
    }

    /** {@return its number, from 1} */
    public int number() {
        return number;
    }

    /** {@return state and tables} Answers to {@code ib_query_port}. */
    public PortAttributes query() {
        return context.queryPort(number);
    }

    /**
     * {@return the port's GUID: the lower half of the first entry of its GID table (IBA 4.1.1)} Answers to
     * {@code ibstat}'s line.
     */
    public long guid() {
        return context.queryGid(number, 0).interfaceId();
    }

    /**
     * Changes attributes, all or none. Answers to {@code ib_modify_port}.
     *
     * @param change what shall be different; what is absent stays
     * @throws RdmaException EOPNOTSUPP for a part that the device lacks the capability for: {@link DeviceCapability#SHUTDOWN_PORT},
     *     {@link DeviceCapability#INIT_TYPE}, {@link DeviceCapability#BAD_QKEY_CNTR}; EINVAL for a capability of the port that it
     *     says of itself, such as that its GIDs are IP addresses
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
     * {@return what management sees of it: SubnGet(PortInfo)}
     *
     * @throws RdmaException EOPNOTSUPP if the device is not managed in this way
     */
    public PortInfo info() {
        return ops().queryPortInfo(number);
    }

    /**
     * What a subnet manager does, or an agent in its name: SubnSet(PortInfo). Raises {@link EventType#LID_CHANGE},
     * {@link EventType#SM_CHANGE}, {@link EventType#GID_CHANGE}, {@link EventType#CLIENT_REREGISTER} and, if the port gets active or
     * is it no longer, {@link EventType#PORT_ACTIVE} and {@link EventType#PORT_ERR}.
     *
     * @param info all values, not only those that change: begin with {@link #info}
     * @throws RdmaException EINVAL for an order that cannot follow the state of the port (IBA 14.2.5.6): ARMED follows INIT, ACTIVE
     *     follows ARMED, DOWN begins anew; EOPNOTSUPP if the device is not managed in this way; nothing has changed then
     */
    public void setInfo(PortInfo info) {
        ops().setPortInfo(number, info);
    }

    /**
     * Tells the subnet that somebody listens here: the port has the capability until the last of those who told so have closed
     * what they got. For agents of management classes and the connection manager.
     *
     * @param capability one for which {@link PortCapability#isOfAgent} is true
     * @return what takes it back
     * @throws RdmaException EINVAL for a capability of another kind
     */
    public PortAnnouncement announce(PortCapability capability) {
        if (!capability.isOfAgent()) {
            throw new RdmaException(
                    Errno.EINVAL, capability + " does not say that somebody listens: see PortModification");
        }
        return context.life().admit(ObjectKind.PORT_ANNOUNCEMENT, () -> PortAnnouncement.of(context, this, capability));
    }

    /**
     * Measures the way to another port and back. Waits for the answer, and lets the device work meanwhile. Answers to
     * {@code LinkRoundTripLatency}.
     *
     * @param peer a GID of the other port
     * @param timeout how long to wait at most; zero only looks
     * @return nanoseconds
     * @throws RdmaException EOPNOTSUPP unless the port has {@link PortCapability#LINK_LATENCY_SUP}; ETIMEDOUT without an answer in
     *     time; ENETUNREACH, EHOSTUNREACH if there is no way
     */
    public long measureLatency(Gid peer, Duration timeout) {
        if (!query().capabilities().contains(PortCapability.LINK_LATENCY_SUP)) {
            throw new RdmaException(Errno.EOPNOTSUPP, this + " cannot measure its link: it lacks LINK_LATENCY_SUP");
        }
        return ops().measureLatency(number, peer, timeout);
    }

    /**
     * Takes what the port has noticed: SubnGet(Notice) and the SubnSet that follows it. There is something only while the port has
     * {@link PortCapability#NOTICE_SUP}; of changes of its capabilities only if it has {@link PortCapability#CAP_MASK_NOTICE_SUP}.
     *
     * @return the oldest notice, null if there is none
     */
    public @Nullable PortNotice pollNotice() {
        return ops().pollNotice(number);
    }

    /**
     * Gets the port's traps, as a subnet manager does, while the port has {@link PortCapability#TRAP_SUP}. The handler runs on the
     * thread that noticed, perhaps the device's: it must neither block nor change objects of the device.
     *
     * @param handler called once a trap
     * @return what takes it back
     * @throws RdmaException EINVAL if the context is closed, EIO once the device is gone
     */
    public TrapRegistration onTrap(Consumer<PortNotice> handler) {
        context.life().checkUsable();
        TrapRegistration registration = new TrapRegistration(context, number, handler);
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
