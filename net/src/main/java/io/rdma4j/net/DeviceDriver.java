package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Who drives a device ({@code netdev_ops}), and what its users ask of the driver alone. */
public final class DeviceDriver {
    /** What a driver has to say that says nothing. */
    private static final DeviceControl DEFAULTS = new DeviceControl() {};

    private final NetDevice device;
    private final DeviceControl control;
    private volatile NetDeviceOps ops;

    DeviceDriver(NetDevice device, NetDeviceOps ops) {
        this.device = device;
        this.ops = ops;
        this.control = ops instanceof DeviceControl driver ? driver : DEFAULTS;
    }

    /** {@return the driver that is asked, or what was put before it} */
    public NetDeviceOps ops() {
        return ops;
    }

    /** What the driver says of its device's configuration. */
    DeviceControl control() {
        return control;
    }

    /**
     * Puts something between the device and its driver, or takes it away again: from now on, the device asks what {@code change} returns. What the
     * driver says of itself ({@link DeviceControl}, {@link VlanFilter}) it still says itself.
     *
     * @param change gets who is asked until now
     * @throws RdmaException EBUSY while the device is up
     */
    public void interpose(UnaryOperator<NetDeviceOps> change) {
        device.registration().exclusively(() -> {
            if (device.isUp()) {
                throw new RdmaException(Errno.EBUSY, device.name() + " is up: take it down to change what is below it");
            }
            ops = change.apply(ops);
        });
    }

    /**
     * Hands the driver a request of its own kind ({@code ndo_do_ioctl}).
     *
     * @param key what is to be done
     * @param value to what
     * @return the driver's answer
     * @throws RdmaException EOPNOTSUPP for a key that it does not know, and what else it refuses
     */
    public String command(String key, String value) {
        return control.command(device, key, value);
    }

    /**
     * {@return what the driver wants to remember of a neighbour, see {@link DeviceControl#neighbourAttachment}}
     *
     * @param address its IP address
     */
    public @Nullable Object neighbourAttachment(Gid address) {
        return control.neighbourAttachment(device, address);
    }

    /**
     * {@return the UDP source port that every packet leaves from, whatever its header says; 0 if the sender may choose}
     */
    public int udpSourcePort() {
        return ops.udpSourcePort();
    }

    /** {@return true if a thread can sleep until the link has something: {@link #awaitReadable} does so} */
    public boolean hasInterrupt() {
        return ops.hasInterrupt();
    }

    /**
     * Sleeps until a packet may be there, {@link #wakeup} is called, or the time is up; may return early. For the one
     * thread that watches over the device while nobody is in its loop.
     *
     * @param timeoutNs how long at most, nanoseconds
     */
    public void awaitReadable(long timeoutNs) {
        ops.awaitReadable(timeoutNs);
    }

    /** Ends the {@link #awaitReadable} of another thread, or its next one; from any thread. */
    public void wakeup() {
        ops.wakeup();
    }
}
