// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.address.LinkAddresses;
import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.device.PrivateFlag;
import java.util.Arrays;
import java.util.Collection;

/**
 * The flags of a device: public ones ({@code IFF_*}) and the core's private ones ({@code priv_flags}). Any thread may
 * read them. Changes by users happen under the RTNL lock.
 */
public final class DeviceFlags {
    /** Flags that users set and that have no further effect in the core, except notifications. */
    private static final int SETTABLE =
            DeviceFlag.DEBUG.mask() | DeviceFlag.NOARP.mask() | DeviceFlag.MULTICAST.mask() | DeviceFlag.DYNAMIC.mask();

    /** Flags that describe the kind and the role of the device. */
    private static final int NATURE = DeviceFlag.LOOPBACK.mask()
            | DeviceFlag.POINTOPOINT.mask()
            | DeviceFlag.BROADCAST.mask()
            | DeviceFlag.MASTER.mask()
            | DeviceFlag.SLAVE.mask();

    private static final int KNOWN =
            Arrays.stream(DeviceFlag.values()).mapToInt(DeviceFlag::mask).sum();

    private final DeviceCore core;
    private final LinkState state;
    private final LinkAddresses link;
    private final AdminState admin;
    private volatile int flags;
    private volatile int global;

    DeviceFlags(
            DeviceCore core, LinkState state, LinkAddresses link, AdminState admin, Collection<DeviceFlag> initial) {
        this.core = core;
        this.state = state;
        this.link = link;
        this.admin = admin;
        initial.forEach(flag -> set(flag, true));
    }

    /** {@return all public flags, the Linux bits ({@code dev_get_flags}); {@link DeviceFlag#text} formats them} */
    public int get() {
        int shown = flags | global;
        if (core.state().isRunning()) {
            shown |= DeviceFlag.UP.mask();
            if (core.state().isCarrierOk()) {
                shown |= DeviceFlag.LOWER_UP.mask();
            }
            if (state.isOperational()) {
                shown |= DeviceFlag.RUNNING.mask();
            }
            if (state.isDormant()) {
                shown |= DeviceFlag.DORMANT.mask();
            }
        }
        return shown;
    }

    /**
     * {@return true if the public flag is set}
     *
     * @param flag the flag
     */
    public boolean has(DeviceFlag flag) {
        return (get() & flag.mask()) != 0;
    }

    /**
     * {@return the modes that users requested by a flag, {@link DeviceFlag#PROMISC} and {@link DeviceFlag#ALLMULTI}
     * ({@code gflags})} However often users set such a flag, it counts as one request. Requests through
     * {@link LinkAddresses} are not visible as flags.
     */
    public int global() {
        return global;
    }

    /**
     * Sets or clears one flag, as {@link #change}.
     *
     * @param flag the flag
     * @param on true to set it, false to clear it
     */
    public void change(DeviceFlag flag, boolean on) {
        core.exclusively(() -> {
            int now = get();
            change(on ? now | flag.mask() : now & ~flag.mask());
        });
    }

    /**
     * Sets all flags that a user may set ({@code dev_change_flags}). UP brings the device up or down. Flags that the
     * core derives from the device's state are ignored.
     *
     * @param wanted the Linux bits
     * @throws RdmaException EINVAL for an unknown bit, or the driver's error if the device cannot come up
     */
    public void change(int wanted) {
        if ((wanted & ~KNOWN) != 0) {
            throw new RdmaException(
                    Errno.EINVAL, core.name() + ": 0x" + Integer.toHexString(wanted & ~KNOWN) + " is no flag");
        }
        core.exclusively(() -> apply(wanted));
    }

    private void apply(int wanted) {
        int before = get();
        set(wanted, SETTABLE);
        if (((before ^ wanted) & DeviceFlag.MULTICAST.mask()) != 0) {
            link.changed();
        }
        if ((wanted & DeviceFlag.UP.mask()) != 0) {
            admin.up();
        } else {
            admin.down();
        }
        changeModes(wanted);
        if (core.state().isRunning() && ((before ^ get()) & SETTABLE) != 0) {
            core.tell(NetDeviceEvent.FLAGS_CHANGE);
        }
    }

    private void changeModes(int wanted) {
        int changed = wanted ^ global;
        if ((changed & DeviceFlag.PROMISC.mask()) != 0) {
            global ^= DeviceFlag.PROMISC.mask();
            link.setPromiscuity((wanted & DeviceFlag.PROMISC.mask()) != 0 ? 1 : -1);
        }
        if ((changed & DeviceFlag.ALLMULTI.mask()) != 0) {
            global ^= DeviceFlag.ALLMULTI.mask();
            link.setAllMulticast((wanted & DeviceFlag.ALLMULTI.mask()) != 0 ? 1 : -1);
        }
    }

    /**
     * Sets or clears a flag without notification. For drivers and the core.
     *
     * @param flag the flag
     * @param on true to set it, false to clear it
     * @throws RdmaException EINVAL for a flag that the core derives from the device's state
     */
    public void set(DeviceFlag flag, boolean on) {
        if ((flag.mask() & (SETTABLE | NATURE)) == 0) {
            throw new RdmaException(Errno.EINVAL, core.name() + ": " + flag + " follows from the device's state");
        }
        set(on ? flag.mask() : 0, flag.mask());
    }

    private synchronized void set(int values, int mask) {
        flags = flags & ~mask | values & mask;
    }

    /**
     * {@return true if the private flag is set} Allocates nothing.
     *
     * @param flag the flag
     */
    public boolean has(PrivateFlag flag) {
        return core.has(flag);
    }

    /**
     * Sets or clears a private flag. For the core and for upper devices.
     *
     * @param flag the flag
     * @param on true to set it, false to clear it
     */
    public void set(PrivateFlag flag, boolean on) {
        core.set(flag, on);
    }

    /**
     * {@return true if the device can send frames that already contain a frame check sequence
     * ({@code netif_supports_nofcs})}
     */
    public boolean supportsNoFcs() {
        return has(PrivateFlag.SUPP_NOFCS);
    }

    /** {@return true for a VLAN device ({@code is_vlan_dev})} */
    public boolean isVlan() {
        return has(PrivateFlag.VLAN_802_1Q);
    }

    @Override
    public String toString() {
        return DeviceFlag.text(get());
    }
}
