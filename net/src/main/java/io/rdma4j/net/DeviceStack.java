// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.DeviceCore;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The upper and lower devices of a device ({@code netdev_adjacent}): a VLAN device is an upper device of its real
 * device, a bridge is one of its ports. The master is the one upper device that receives all frames of a device.
 * Changes happen under the RTNL lock; any thread may read.
 */
public final class DeviceStack {
    /** Maximum number of devices on top of each other ({@code MAX_NEST_DEV}). */
    static final int MAX_DEPTH = 8;

    private final NetDevice device;
    private final DeviceCore core;
    private final DriverCalls driver;
    private final List<NetDevice> uppers = new CopyOnWriteArrayList<>();
    private final List<NetDevice> lowers = new CopyOnWriteArrayList<>();
    private volatile @Nullable NetDevice master;

    DeviceStack(NetDevice device, DeviceCore core, DriverCalls driver) {
        this.device = device;
        this.core = core;
        this.driver = driver;
    }

    /** {@return the direct upper devices, with the master; a copy} */
    public List<NetDevice> uppers() {
        return List.copyOf(uppers);
    }

    /** {@return the direct lower devices; a copy} */
    public List<NetDevice> lowers() {
        return List.copyOf(lowers);
    }

    /**
     * {@return the lower device as the driver reports it, or the device at the other end of its link
     * ({@code dev_get_iflink}); null if the device has a link of its own}
     */
    public @Nullable NetDevice lower() {
        return driver.control().lower(device);
    }

    /** Returns true if the lower device has no carrier. */
    boolean isLowerDown() {
        NetDevice lower = lower();
        return lower != null && !lower.isCarrierOk();
    }

    /**
     * {@return the bridge, bond or team of which this device is a port ({@code netdev_master_upper_dev_get}), or null}
     */
    public @Nullable NetDevice master() {
        return master;
    }

    /**
     * Replaces the device's master ({@code do_set_master}): the old master's driver releases the device, the new one's
     * driver adds it.
     *
     * @param to the new master, or null
     * @throws RdmaException EOPNOTSUPP if the new master has no ports, or the error of its driver; then the device has
     *     no master
     */
    public void enslave(@Nullable NetDevice to) {
        core.exclusively(() -> {
            NetDevice old = master;
            if (old != null) {
                old.stack().driver.control().delSlave(old, device);
            }
            if (to != null) {
                to.stack().driver.control().addSlave(to, device);
            }
        });
    }

    /**
     * Records {@code upper} as an upper device ({@code netdev_upper_dev_link}). For drivers.
     *
     * @param upper a device registered in the same namespace
     * @param asMaster true if it becomes the master
     * @throws RdmaException EBUSY if {@code asMaster} is set and the device has a master, or if {@code upper} is below
     *     this device or this device itself; EEXIST if it is recorded already; EMLINK for more than 8 devices on top of
     *     each other
     */
    public void link(NetDevice upper, boolean asMaster) {
        core.exclusively(() -> {
            check(upper, asMaster);
            uppers.add(upper);
            upper.stack().lowers.add(device);
            if (asMaster) {
                master = upper;
            }
        });
    }

    private void check(NetDevice upper, boolean asMaster) {
        if (upper == device || isAbove(upper)) {
            throw new RdmaException(
                    Errno.EBUSY, upper.name() + " cannot stand on " + device.name() + ", which stands on it");
        }
        if (uppers.contains(upper)) {
            throw new RdmaException(Errno.EEXIST, upper.name() + " stands on " + device.name() + " already");
        }
        NetDevice old = master;
        if (asMaster && old != null) {
            throw new RdmaException(Errno.EBUSY, device.name() + " is a port of " + old.name() + ": release it first");
        }
        if (depth() + upper.stack().height() > MAX_DEPTH) {
            throw new RdmaException(Errno.EMLINK, "more than " + MAX_DEPTH + " devices on top of each other");
        }
    }

    /**
     * Undoes {@link #link}. No effect if {@code upper} is not an upper device. For drivers.
     *
     * @param upper the upper device
     */
    public void unlink(NetDevice upper) {
        core.exclusively(() -> {
            uppers.remove(upper);
            upper.stack().lowers.remove(device);
            if (master == upper) {
                master = null;
            }
        });
    }

    /**
     * {@return true if {@code other} is below this device, directly or not ({@code netdev_has_upper_dev} with exchanged
     * arguments)}
     *
     * @param other any device
     */
    public boolean isAbove(NetDevice other) {
        return lowers.stream().anyMatch(lower -> lower == other || lower.stack().isAbove(other));
    }

    /** {@return all devices below this one, each once: the loop that drives this device must drive those too} */
    public List<NetDevice> below() {
        return lowers.stream()
                .flatMap(lower -> Stream.concat(Stream.of(lower), lower.stack().below().stream()))
                .distinct()
                .toList();
    }

    /** Returns the number of devices on the longest path downwards, this one included. */
    private int depth() {
        return 1
                + lowers.stream().mapToInt(lower -> lower.stack().depth()).max().orElse(0);
    }

    /** Returns the number of devices on the longest path upwards, this one included. */
    private int height() {
        return 1
                + uppers.stream()
                        .mapToInt(upper -> upper.stack().height())
                        .max()
                        .orElse(0);
    }
}
