package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.skb.PacketTimestamps;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The life of one device, from {@link RegistrationState#UNINITIALIZED} to {@link RegistrationState#RELEASED}, and where it
 * is at home meanwhile.
 *
 * <p>Users register with the namespace and unregister with the device. The steps of unregistration are public for the
 * namespace, which takes many devices through each of them together.
 */
public final class DeviceRegistration {
    private final NetDevice device;
    /** For a device without a host, which knows no time. */
    private final PacketTimestamps timeless = new PacketTimestamps(() -> 0);

    private volatile RegistrationState state = RegistrationState.UNINITIALIZED;
    private volatile @Nullable DeviceHome home;
    private volatile boolean dismantled;

    DeviceRegistration(NetDevice device) {
        this.device = device;
    }

    /** {@return how far it has come ({@code reg_state})} */
    public RegistrationState state() {
        return state;
    }

    /** {@return where it is registered, or was; null before ({@code nd_net})} */
    public @Nullable DeviceHome home() {
        return home;
    }

    /** What {@link NetDevice#timestamps} is. */
    PacketTimestamps timestamps() {
        DeviceHome place = home;
        return place == null ? timeless : place.timestamps();
    }

    /** {@return true from the beginning of its unregistration on ({@code dismantle})} */
    public boolean isDismantled() {
        return dismantled;
    }

    /** True if it may be brought up. */
    boolean isRegistered() {
        return state == RegistrationState.REGISTERED;
    }

    /**
     * Makes the device known in {@code place} ({@code register_netdevice}): name and number are chosen, the driver sets
     * itself up, followers are told. For the namespace.
     *
     * <p>If that fails, the device is as it was; its maker may register it again, or {@link #free} it.
     *
     * @param place where it shall be known
     * @throws RdmaException EINVAL if it was registered before, EEXIST for a name and EBUSY for a number that is taken, and
     *     what the driver or a follower refuses it with
     */
    public void register(DeviceHome place) {
        place.rtnl().run(() -> {
            if (state != RegistrationState.UNINITIALIZED) {
                throw new RdmaException(Errno.EINVAL, device.name() + " is " + state + ": it is registered once only");
            }
            String name = place.chooseName(place.proposeName(device));
            device.driver().ops().init(device);
            try {
                device.features().register();
                enter(place, name);
            } catch (RuntimeException e) {
                device.driver().ops().uninit(device);
                throw e;
            }
        });
    }

    /**
     * Makes a device that is never registered and always up, only there for its receiver to be polled: for drivers whose receiver is
     * not that of one of their devices ({@code init_dummy_netdev}). {@link #free} ends it.
     *
     * @param ops the driver
     * @return the device
     */
    public static NetDevice dummy(NetDeviceOps ops) {
        NetDevice dummy =
                new NetDevice(new NetDeviceSetup("dummy", 0, NetDeviceSetup.MIN_MTU, 0, List.of(), Set.of()), ops);
        dummy.registration().state = RegistrationState.DUMMY;
        dummy.linkState().onRegistered();
        dummy.linkState().setRunning(true);
        return dummy;
    }

    private void enter(DeviceHome place, String name) {
        String nameBefore = device.name();
        int indexBefore = device.ifindex();
        device.identify(name, place.chooseIndex(indexBefore));
        home = place;
        state = RegistrationState.REGISTERED;
        device.linkState().onRegistered();
        place.list(device);
        place.announce(device, true);
        try {
            device.tell(NetDeviceEvent.REGISTER);
        } catch (RuntimeException refused) {
            device.tell(NetDeviceEvent.UNREGISTER);
            state = RegistrationState.UNINITIALIZED;
            device.linkState().onUnregistered();
            place.announce(device, false);
            place.unlist(device);
            home = null;
            device.identify(nameBefore, indexBefore);
            throw refused;
        }
    }

    /**
     * Takes the device, which goes down, to another namespace of its host ({@code dev_change_net_namespace}). Who follows it
     * hears that it was unregistered, and registered again. For the namespace, under the lock.
     *
     * @param to the other namespace
     * @param pattern name to try if another device there has the name, or null
     * @throws RdmaException EINVAL if it is not registered or may not leave, EEXIST if the name is taken
     */
    public void move(DeviceHome to, @Nullable String pattern) {
        if (state != RegistrationState.REGISTERED || to.rtnl() != place().rtnl()) {
            throw new RdmaException(Errno.EINVAL, device.name() + " is " + state + " and moves within its host only");
        }
        if (device.features().has(NetDeviceFeature.NETNS_LOCAL)) {
            throw new RdmaException(Errno.EINVAL, device.name() + " belongs to its namespace and cannot leave it");
        }
        if (to.equals(home)) {
            return;
        }
        String name = newName(to, pattern);
        device.down();
        place().unlist(device);
        device.tell(NetDeviceEvent.UNREGISTER);
        place().announce(device, false);
        home = to;
        device.identify(name, to.isTaken(device.ifindex()) ? to.chooseIndex(0) : device.ifindex());
        to.list(device);
        to.announce(device, true);
        device.tell(NetDeviceEvent.REGISTER);
    }

    private String newName(DeviceHome to, @Nullable String pattern) {
        try {
            return to.chooseName(device.name());
        } catch (RdmaException taken) {
            if (pattern == null) {
                throw taken;
            }
            return to.chooseName(pattern);
        }
    }

    /**
     * Gives the device another name ({@code dev_change_name}). For the namespace, under the lock.
     *
     * @param nameOrPattern as for registration
     * @throws RdmaException ENODEV if it is not registered, EBUSY if it is up, EEXIST or EINVAL for the name
     */
    public void rename(String nameOrPattern) {
        if (!isRegistered()) {
            throw new RdmaException(Errno.ENODEV, device.name() + " is " + state);
        }
        if (device.isUp()) {
            throw new RdmaException(Errno.EBUSY, device.name() + " is up: take it down to rename it");
        }
        if (!nameOrPattern.equals(device.name())) {
            String name = place().chooseName(nameOrPattern);
            place().unlist(device);
            device.identify(name, device.ifindex());
            place().list(device);
            device.tell(NetDeviceEvent.NAME_CHANGE);
        }
    }

    /** For the namespace: who follows the device still holds it and is told again to let go. */
    public void remind() {
        device.tell(NetDeviceEvent.UNREGISTER);
    }

    /**
     * Takes it out of the host ({@code unregister_netdevice}); a device that was never registered is freed. Nothing happens
     * a second time.
     */
    void unregister() {
        DeviceHome place = home;
        if (place != null) {
            place.unregister(device);
        } else if (state == RegistrationState.UNINITIALIZED) {
            free();
        }
    }

    /** First step of unregistration, under the lock: down, and off the lists. For the namespace. */
    public void leave() {
        dismantled = true;
        device.down();
        place().unlist(device);
        device.linkState().onUnregistered();
        state = RegistrationState.UNREGISTERING;
    }

    /** Second step, under the lock: who follows it is told, and the driver undoes what it set up. For the namespace. */
    public void dismantle() {
        device.tell(NetDeviceEvent.UNREGISTER);
        device.driver().ops().uninit(device);
        place().announce(device, false);
    }

    /**
     * Last step, without the lock ({@code netdev_run_todo}): releases the device if nobody holds it. For the namespace.
     *
     * @return false if somebody does
     */
    public boolean conclude() {
        state = RegistrationState.UNREGISTERED;
        boolean unused = device.references().count() == 0;
        if (unused) {
            free();
        }
        return unused;
    }

    /**
     * Gives back all that the device holds ({@code free_netdev}, and {@code priv_destructor} before it). Needed only for a
     * device that was never registered: others are freed when they are unregistered and nobody holds them.
     *
     * @throws RdmaException EBUSY while it is registered or being unregistered
     */
    public void free() {
        if (state == RegistrationState.REGISTERED || state == RegistrationState.UNREGISTERING) {
            throw new RdmaException(Errno.EBUSY, device.name() + " is " + state + ": unregister it to free it");
        }
        if (state != RegistrationState.RELEASED) {
            state = RegistrationState.RELEASED;
            device.driver().ops().destructor(device);
            device.transmitQueues().fixup().close();
        }
    }

    void referencesGone() {
        place().referencesGone(device);
    }

    private DeviceHome place() {
        DeviceHome place = home;
        if (place == null) {
            throw new IllegalStateException(device.name() + " has no home");
        }
        return place;
    }

    /**
     * Does {@code action} as the only one who changes the device ({@code rtnl_lock}): under the lock of its host; before it has one,
     * it is its maker's alone.
     */
    void exclusively(Runnable action) {
        DeviceHome place = home;
        if (place == null) {
            action.run();
        } else {
            place.rtnl().run(action);
        }
    }
}
