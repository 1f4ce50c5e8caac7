package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which devices stand on a device, and on which it stands ({@code netdev_adjacent}): a VLAN device stands on another one, a bridge on its
 * ports. A master is the one device above that has all frames of a device. Changed under the lock; any thread may read.
 */
public final class DeviceStack {
    /** How high devices may be stacked ({@code MAX_NEST_DEV}). */
    static final int MAX_DEPTH = 8;

    private final NetDevice device;
    private final List<NetDevice> uppers = new CopyOnWriteArrayList<>();
    private final List<NetDevice> lowers = new CopyOnWriteArrayList<>();
    private volatile @Nullable NetDevice master;

    DeviceStack(NetDevice device) {
        this.device = device;
    }

    /** {@return the devices that stand directly on this one, its master among them; a view} */
    public List<NetDevice> uppers() {
        return List.copyOf(uppers);
    }

    /** {@return the devices that this one stands on directly} */
    public List<NetDevice> lowers() {
        return List.copyOf(lowers);
    }

    /**
     * {@return the device that the driver says this one stands on, or at the other end of its link
     * ({@code dev_get_iflink}); null if it has a link of its own}
     */
    public @Nullable NetDevice lower() {
        return device.driver().control().lower(device);
    }

    /**
     * {@return the bridge, bond or team that this device is a port of; null if it is none
     * ({@code netdev_master_upper_dev_get})}
     */
    public @Nullable NetDevice master() {
        return master;
    }

    /**
     * Makes the device a slave of another one, or of none ({@code do_set_master}): its old master's driver releases it, the new one's takes
     * it.
     *
     * @param to the new master, or null
     * @throws RdmaException EOPNOTSUPP if the new one takes no slaves, and what its driver refuses it with: then the device has no master
     */
    public void enslave(@Nullable NetDevice to) {
        device.registration().exclusively(() -> {
            NetDevice old = master;
            if (old != null) {
                old.driver().control().delSlave(old, device);
            }
            if (to != null) {
                to.driver().control().addSlave(to, device);
            }
        });
    }

    /**
     * For drivers: notes that {@code upper} stands on this device ({@code netdev_upper_dev_link}).
     *
     * @param upper registered in the same namespace
     * @param asMaster true if it is to have all frames of it
     * @throws RdmaException EBUSY if the device has a master and is to get one, or if it stands on {@code upper} itself; EEXIST if that is
     *     noted already; EMLINK for more than 8 on top of each other
     */
    public void link(NetDevice upper, boolean asMaster) {
        device.registration().exclusively(() -> {
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
     * For drivers: undoes {@link #link}; nothing happens if it was not noted.
     *
     * @param upper one that stands on it, or any other
     */
    public void unlink(NetDevice upper) {
        device.registration().exclusively(() -> {
            uppers.remove(upper);
            upper.stack().lowers.remove(device);
            if (master == upper) {
                master = null;
            }
        });
    }

    /**
     * {@return true if this device stands on {@code other}, however many are between ({@code netdev_has_upper_dev} the
     * other way round)}
     *
     * @param other any
     */
    public boolean isAbove(NetDevice other) {
        return lowers.stream().anyMatch(lower -> lower == other || lower.stack().isAbove(other));
    }

    /** {@return all devices below this one, each once: who drives this one has to drive those} */
    public List<NetDevice> below() {
        return lowers.stream()
                .flatMap(lower -> Stream.concat(Stream.of(lower), lower.stack().below().stream()))
                .distinct()
                .toList();
    }

    /** How many devices are below this one, itself included, on the longest way. */
    private int depth() {
        return 1
                + lowers.stream().mapToInt(lower -> lower.stack().depth()).max().orElse(0);
    }

    /** How many are above, itself included. */
    private int height() {
        return 1
                + uppers.stream()
                        .mapToInt(upper -> upper.stack().height())
                        .max()
                        .orElse(0);
    }
}
