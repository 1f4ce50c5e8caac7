// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.device;

import io.rdma4j.net.skb.PacketTimestamps;
import io.rdma4j.packet.PacketDevice;
import java.util.Collection;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of a device share: its identity, MTU, private flags, state, counters and events, and the lock of its
 * host. Any thread may read it.
 */
public final class DeviceCore {
    private final PacketDevice device;
    private final LinkType linkType;
    private final Consumer<NetDeviceEvent> listeners;
    private final StateBits state = new StateBits();
    private final NetDeviceStats stats = new NetDeviceStats();
    /** For a device without a host: there is no clock, so the time is always 0. */
    private final PacketTimestamps timeless = new PacketTimestamps(() -> 0);

    private volatile String name;
    private volatile int ifindex;
    private volatile int mtu;
    private volatile int privateFlags;
    private volatile RegistrationState registration = RegistrationState.UNINITIALIZED;
    private volatile @Nullable Rtnl rtnl;
    private volatile PacketTimestamps timestamps = timeless;

    /**
     * Creates the core of a device that is down, not registered, and has a carrier.
     *
     * @param device the device
     * @param linkType its link type
     * @param name its name, or a pattern until its registration
     * @param ifindex its interface index; 0 until its registration
     * @param mtu maximum size of an IP packet, bytes
     * @param privateFlags initial private flags
     * @param listeners called for each event of the device
     */
    public DeviceCore(
            PacketDevice device,
            LinkType linkType,
            String name,
            int ifindex,
            int mtu,
            Collection<PrivateFlag> privateFlags,
            Consumer<NetDeviceEvent> listeners) {
        this.device = device;
        this.linkType = linkType;
        this.name = name;
        this.ifindex = ifindex;
        this.mtu = mtu;
        this.listeners = listeners;
        privateFlags.forEach(flag -> set(flag, true));
    }

    /** {@return the device, as packets name it} */
    public PacketDevice device() {
        return device;
    }

    /** {@return its link type} */
    public LinkType linkType() {
        return linkType;
    }

    /** {@return the bits of its state} */
    public StateBits state() {
        return state;
    }

    /** {@return its counters} */
    public NetDeviceStats stats() {
        return stats;
    }

    /** {@return its name} */
    public String name() {
        return name;
    }

    /** {@return its interface index; 0 if the namespace has not chosen it yet} */
    public int ifindex() {
        return ifindex;
    }

    /**
     * Sets name and index; the caller holds the RTNL lock.
     *
     * @param newName the name
     * @param newIndex the interface index
     */
    public void identify(String newName, int newIndex) {
        name = newName;
        ifindex = newIndex;
    }

    /** {@return maximum size of an IP packet, bytes} */
    public int mtu() {
        return mtu;
    }

    /**
     * Sets the MTU after the driver has accepted it.
     *
     * @param bytes maximum size of an IP packet
     */
    public void mtu(int bytes) {
        mtu = bytes;
    }

    /** {@return maximum frame size of the link in bytes: MTU, link header and one tag} */
    public int maxFrameBytes() {
        return mtu + linkType.overheadBytes();
    }

    /**
     * {@return true if the private flag is set} Allocates nothing.
     *
     * @param flag the flag
     */
    public boolean has(PrivateFlag flag) {
        return (privateFlags & 1 << flag.ordinal()) != 0;
    }

    /**
     * Sets or clears a private flag.
     *
     * @param flag the flag
     * @param on true to set it, false to clear it
     */
    public synchronized void set(PrivateFlag flag, boolean on) {
        int mask = 1 << flag.ordinal();
        privateFlags = on ? privateFlags | mask : privateFlags & ~mask;
    }

    /** {@return the registration state ({@code reg_state})} */
    public RegistrationState registration() {
        return registration;
    }

    /** {@return true if the device is registered} */
    public boolean isRegistered() {
        return registration == RegistrationState.REGISTERED;
    }

    /**
     * Sets the registration state.
     *
     * @param next the new state
     */
    public void registration(RegistrationState next) {
        registration = next;
    }

    /**
     * Records the host of the device, which has the lock and the clock.
     *
     * @param lock the RTNL lock of the host
     * @param clock the packet timestamping of the host
     */
    public void enter(Rtnl lock, PacketTimestamps clock) {
        timestamps = clock;
        rtnl = lock;
    }

    /** Undoes {@link #enter}, because the registration failed. */
    public void leave() {
        rtnl = null;
        timestamps = timeless;
    }

    /** {@return the packet timestamping of the host; without a host the time is always 0} */
    public PacketTimestamps timestamps() {
        return timestamps;
    }

    /**
     * Runs {@code action} under the RTNL lock of the device's host ({@code rtnl_lock}). Before registration there is no
     * lock, because only the creator uses the device.
     *
     * @param action should be short, because it blocks all other configuration
     */
    public void exclusively(Runnable action) {
        Rtnl lock = rtnl;
        if (lock == null) {
            action.run();
        } else {
            lock.run(action);
        }
    }

    /**
     * Runs {@code work} under the RTNL lock without waiting for it, see {@link Rtnl#queue}.
     *
     * @param work short
     */
    public void queueWork(Runnable work) {
        Rtnl lock = rtnl;
        if (lock == null) {
            work.run();
        } else {
            lock.queue(work);
        }
    }

    /**
     * Notifies the listeners of the device.
     *
     * @param event the event
     */
    public void tell(NetDeviceEvent event) {
        listeners.accept(event);
    }
}
