package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.Arrays;
import java.util.Collection;

/**
 * The flags of a device: those that tools show ({@code IFF_*}), and those that only the core knows ({@code priv_flags}).
 * Any thread may read; changes that users ask for are made under the lock of the device.
 */
public final class DeviceFlags {
    /** What users change and nothing else follows from but what they asked for. */
    private static final int SETTABLE =
            DeviceFlag.DEBUG.mask() | DeviceFlag.NOARP.mask() | DeviceFlag.MULTICAST.mask() | DeviceFlag.DYNAMIC.mask();

    /** What the device is, and what part it plays. */
    private static final int NATURE = DeviceFlag.LOOPBACK.mask()
            | DeviceFlag.POINTOPOINT.mask()
            | DeviceFlag.BROADCAST.mask()
            | DeviceFlag.MASTER.mask()
            | DeviceFlag.SLAVE.mask();

    private static final int KNOWN =
            Arrays.stream(DeviceFlag.values()).mapToInt(DeviceFlag::mask).sum();

    private final NetDevice device;
    private volatile int flags;
    private volatile int global;
    private volatile int privateFlags;

    DeviceFlags(NetDevice device, Collection<DeviceFlag> flags, Collection<PrivateFlag> privateFlags) {
        this.device = device;
        flags.forEach(flag -> set(flag, true));
        privateFlags.forEach(flag -> set(flag, true));
    }

    /**
     * {@return all flags as tools show them, Linux's bits ({@code dev_get_flags}); {@link DeviceFlag#text} writes them}
     */
    public int get() {
        int shown = flags | global;
        if (device.isUp()) {
            shown |= DeviceFlag.UP.mask();
            if (device.isCarrierOk()) {
                shown |= DeviceFlag.LOWER_UP.mask();
            }
            if (device.linkState().isOperational()) {
                shown |= DeviceFlag.RUNNING.mask();
            }
            if (device.linkState().isDormant()) {
                shown |= DeviceFlag.DORMANT.mask();
            }
        }
        return shown;
    }

    /**
     * {@return true if tools show this flag}
     *
     * @param flag one of the constants
     */
    public boolean has(DeviceFlag flag) {
        return (get() & flag.mask()) != 0;
    }

    /**
     * {@return the modes that a user asked for by a flag, {@link DeviceFlag#PROMISC} and {@link DeviceFlag#ALLMULTI}
     * ({@code gflags})} They count once among those who listen, whatever the number of such requests; modes that others
     * asked for, by {@link LinkAddresses}, are not shown as flags.
     */
    public int global() {
        return global;
    }

    /**
     * Sets one flag or clears it, as {@link #change}.
     *
     * @param flag one of the constants
     * @param on true to set it, false to clear it
     */
    public void change(DeviceFlag flag, boolean on) {
        device.registration().exclusively(() -> {
            int now = get();
            change(on ? now | flag.mask() : now & ~flag.mask());
        });
    }

    /**
     * Sets all flags that a user may set ({@code dev_change_flags}): UP brings the device up or takes it down; what only the
     * core knows better stays as it is.
     *
     * @param wanted Linux's bits
     * @throws RdmaException EINVAL for a bit that is no flag; whatever keeps the device from going up
     */
    public void change(int wanted) {
        if ((wanted & ~KNOWN) != 0) {
            throw new RdmaException(
                    Errno.EINVAL, device.name() + ": 0x" + Integer.toHexString(wanted & ~KNOWN) + " is no flag");
        }
        device.registration().exclusively(() -> apply(wanted));
    }

    private void apply(int wanted) {
        int before = get();
        set(wanted, SETTABLE);
        if (((before ^ wanted) & DeviceFlag.MULTICAST.mask()) != 0) {
            device.link().changed();
        }
        if ((wanted & DeviceFlag.UP.mask()) != 0) {
            device.up();
        } else {
            device.down();
        }
        changeModes(wanted);
        if (device.isUp() && ((before ^ get()) & SETTABLE) != 0) {
            device.tell(NetDeviceEvent.FLAGS_CHANGE);
        }
    }

    private void changeModes(int wanted) {
        int changed = wanted ^ global;
        if ((changed & DeviceFlag.PROMISC.mask()) != 0) {
            global ^= DeviceFlag.PROMISC.mask();
            device.link().setPromiscuity((wanted & DeviceFlag.PROMISC.mask()) != 0 ? 1 : -1);
        }
        if ((changed & DeviceFlag.ALLMULTI.mask()) != 0) {
            global ^= DeviceFlag.ALLMULTI.mask();
            device.link().setAllMulticast((wanted & DeviceFlag.ALLMULTI.mask()) != 0 ? 1 : -1);
        }
    }

    /**
     * For those who know what the device is: sets or clears a flag, and tells nobody.
     *
     * @param flag one of the constants
     * @param on true to set it, false to clear it
     * @throws RdmaException EINVAL for a flag that follows from the state of the device
     */
    public void set(DeviceFlag flag, boolean on) {
        if ((flag.mask() & (SETTABLE | NATURE)) == 0) {
            throw new RdmaException(Errno.EINVAL, device.name() + ": " + flag + " follows from the device's state");
        }
        set(on ? flag.mask() : 0, flag.mask());
    }

    private synchronized void set(int values, int mask) {
        flags = flags & ~mask | values & mask;
    }

    /**
     * {@return true if the core knows this of the device} Allocates nothing.
     *
     * @param flag one of the constants
     */
    public boolean has(PrivateFlag flag) {
        return (privateFlags & 1 << flag.ordinal()) != 0;
    }

    /**
     * For the core and for devices above: sets or clears a flag.
     *
     * @param flag one of the constants
     * @param on true to set it, false to clear it
     */
    public synchronized void set(PrivateFlag flag, boolean on) {
        int mask = 1 << flag.ordinal();
        privateFlags = on ? privateFlags | mask : privateFlags & ~mask;
    }

    /**
     * {@return true if the device can send frames that bring their own check sequence ({@code netif_supports_nofcs})}
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
