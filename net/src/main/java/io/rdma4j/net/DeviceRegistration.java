// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.device.RegistrationState;
import io.rdma4j.net.feature.NetDeviceFeature;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The registration state of one device, from {@link RegistrationState#UNINITIALIZED} to {@link
 * RegistrationState#RELEASED}, and its namespace.
 *
 * <p>Users register with the namespace and unregister with the device. The steps of unregistration are public for the
 * namespace, which executes each step for many devices together.
 */
public final class DeviceRegistration {
    private final NetDevice device;
    private final DeviceCore core;
    private final DriverCalls driver;
    private volatile @Nullable DeviceHome home;
    private volatile boolean dismantled;

    DeviceRegistration(NetDevice device, DeviceCore core, DriverCalls driver) {
        this.device = device;
        this.core = core;
        this.driver = driver;
    }

    /** {@return the state ({@code reg_state})} */
    public RegistrationState state() {
        return core.registration();
    }

    /** {@return the namespace in which it is or was registered; null before registration ({@code nd_net})} */
    public @Nullable DeviceHome home() {
        return home;
    }

    /** {@return true from the start of unregistration on ({@code dismantle})} */
    public boolean isDismantled() {
        return dismantled;
    }

    /**
     * Registers the device in {@code place} ({@code register_netdevice}): chooses name and index, initialises the
     * driver and notifies the listeners. The namespace calls it.
     *
     * <p>If it fails, the device is unchanged. The caller may register it again or {@link #free} it.
     *
     * @param place the namespace
     * @throws RdmaException EINVAL if it was registered before, EEXIST or EBUSY if its name or index is in use, or the
     *     error of the driver or a listener
     */
    public void register(DeviceHome place) {
        place.rtnl().run(() -> {
            if (state() != RegistrationState.UNINITIALIZED) {
                throw new RdmaException(Errno.EINVAL, core.name() + " is " + state() + ": it is registered once only");
            }
            String name = place.chooseName(place.proposeName(device));
            driver.ops().init(device);
            try {
                device.features().register();
                enter(place, name);
            } catch (RuntimeException e) {
                driver.ops().uninit(device);
                throw e;
            }
        });
    }

    /**
     * Creates a device that is never registered and always up ({@code init_dummy_netdev}). It exists only so that its
     * receiver is polled: for drivers with a receiver that belongs to none of their devices. {@link #free} releases it.
     *
     * @param ops the driver
     * @return the device
     */
    public static NetDevice dummy(NetDeviceOps ops) {
        NetDevice dummy =
                new NetDevice(new NetDeviceSetup("dummy", 0, NetDeviceSetup.MIN_MTU, 0, List.of(), Set.of()), ops);
        dummy.registration().core.registration(RegistrationState.DUMMY);
        dummy.linkState().onRegistered();
        dummy.linkState().setRunning(true);
        return dummy;
    }

    private void enter(DeviceHome place, String name) {
        String nameBefore = core.name();
        int indexBefore = core.ifindex();
        core.identify(name, place.chooseIndex(indexBefore));
        home = place;
        core.enter(place.rtnl(), place.timestamps());
        core.registration(RegistrationState.REGISTERED);
        device.linkState().onRegistered();
        place.list(device);
        place.announce(device, true);
        try {
            core.tell(NetDeviceEvent.REGISTER);
        } catch (RuntimeException refused) {
            core.tell(NetDeviceEvent.UNREGISTER);
            core.registration(RegistrationState.UNINITIALIZED);
            device.linkState().onUnregistered();
            place.announce(device, false);
            place.unlist(device);
            home = null;
            core.leave();
            core.identify(nameBefore, indexBefore);
            throw refused;
        }
    }

    /**
     * Moves the device to another namespace of its host and brings it down ({@code dev_change_net_namespace}).
     * Listeners see an unregistration and a registration. The namespace calls it, under the RTNL lock.
     *
     * @param to the other namespace
     * @param pattern name or pattern to use if the device's name is in use there, or null
     * @throws RdmaException EINVAL if it is not registered or cannot leave its namespace, EEXIST if the name is in use
     */
    public void move(DeviceHome to, @Nullable String pattern) {
        if (!core.isRegistered() || to.rtnl() != place().rtnl()) {
            throw new RdmaException(Errno.EINVAL, core.name() + " is " + state() + " and moves within its host only");
        }
        if (device.features().has(NetDeviceFeature.NETNS_LOCAL)) {
            throw new RdmaException(Errno.EINVAL, core.name() + " belongs to its namespace and cannot leave it");
        }
        if (to.equals(home)) {
            return;
        }
        String name = newName(to, pattern);
        device.down();
        place().unlist(device);
        core.tell(NetDeviceEvent.UNREGISTER);
        place().announce(device, false);
        home = to;
        core.identify(name, to.isTaken(core.ifindex()) ? to.chooseIndex(0) : core.ifindex());
        to.list(device);
        to.announce(device, true);
        core.tell(NetDeviceEvent.REGISTER);
    }

    private String newName(DeviceHome to, @Nullable String pattern) {
        try {
            return to.chooseName(core.name());
        } catch (RdmaException taken) {
            if (pattern == null) {
                throw taken;
            }
            return to.chooseName(pattern);
        }
    }

    /**
     * Renames the device ({@code dev_change_name}). The namespace calls it, under the RTNL lock.
     *
     * @param nameOrPattern a name, or a pattern such as {@code eth%d}
     * @throws RdmaException ENODEV if it is not registered, EBUSY if it is up, EEXIST or EINVAL for the name
     */
    public void rename(String nameOrPattern) {
        if (!core.isRegistered()) {
            throw new RdmaException(Errno.ENODEV, core.name() + " is " + state());
        }
        if (device.isUp()) {
            throw new RdmaException(Errno.EBUSY, core.name() + " is up: take it down to rename it");
        }
        if (!nameOrPattern.equals(core.name())) {
            String name = place().chooseName(nameOrPattern);
            place().unlist(device);
            core.identify(name, core.ifindex());
            place().list(device);
            core.tell(NetDeviceEvent.NAME_CHANGE);
        }
    }

    /**
     * Notifies the listeners of the unregistration again, because a listener still holds a reference. The namespace
     * calls it.
     */
    public void remind() {
        core.tell(NetDeviceEvent.UNREGISTER);
    }

    /**
     * Unregisters the device ({@code unregister_netdevice}), or frees a device that was never registered. Further calls
     * have no effect.
     */
    void unregister() {
        DeviceHome place = home;
        if (place != null) {
            place.unregister(device);
        } else if (state() == RegistrationState.UNINITIALIZED) {
            free();
        }
    }

    /**
     * First step of unregistration, under the RTNL lock: brings the device down and removes it from the lists. The
     * namespace calls it.
     */
    public void leave() {
        dismantled = true;
        device.down();
        place().unlist(device);
        device.linkState().onUnregistered();
        core.registration(RegistrationState.UNREGISTERING);
    }

    /**
     * Second step, under the RTNL lock: notifies the listeners, and the driver undoes its initialisation. The namespace
     * calls it.
     */
    public void dismantle() {
        core.tell(NetDeviceEvent.UNREGISTER);
        driver.ops().uninit(device);
        place().announce(device, false);
    }

    /**
     * Last step, without the lock ({@code netdev_run_todo}): frees the device if it has no references. The namespace
     * calls it.
     *
     * @return false if there are references
     */
    public boolean conclude() {
        core.registration(RegistrationState.UNREGISTERED);
        boolean unused = device.references().count() == 0;
        if (unused) {
            free();
        }
        return unused;
    }

    /**
     * Releases the resources of the device ({@code free_netdev}, and {@code priv_destructor} before it). Callers need
     * it only for a device that was never registered. Other devices are freed when they are unregistered and have no
     * references.
     *
     * @throws RdmaException EBUSY while it is registered or being unregistered
     */
    public void free() {
        if (state() == RegistrationState.REGISTERED || state() == RegistrationState.UNREGISTERING) {
            throw new RdmaException(Errno.EBUSY, core.name() + " is " + state() + ": unregister it to free it");
        }
        if (state() != RegistrationState.RELEASED) {
            core.registration(RegistrationState.RELEASED);
            driver.ops().destructor(device);
            device.releaseBuffers();
        }
    }

    void referencesGone() {
        place().referencesGone(device);
    }

    /** Schedules a call of {@link LinkState#handleEvent}. */
    void linkEvent() {
        DeviceHome place = home;
        if (place != null) {
            place.linkEvent(device);
        }
    }

    private DeviceHome place() {
        DeviceHome place = home;
        if (place == null) {
            throw new IllegalStateException(core.name() + " has no home");
        }
        return place;
    }
}
