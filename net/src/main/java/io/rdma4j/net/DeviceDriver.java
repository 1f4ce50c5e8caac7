package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The driver of a device ({@code netdev_ops}), and the calls that users direct to the driver alone. */
public final class DeviceDriver {
    /** Callbacks of a driver that does not implement {@link DeviceControl}. */
    private static final DeviceControl DEFAULTS = new DeviceControl() {};

    private final NetDevice device;
    private final DeviceControl control;
    private volatile NetDeviceOps ops;

    DeviceDriver(NetDevice device, NetDeviceOps ops) {
        this.device = device;
        this.ops = ops;
        this.control = ops instanceof DeviceControl driver ? driver : DEFAULTS;
    }

    /** {@return the driver's operations, or those that {@link #interpose} put in front of them} */
    public NetDeviceOps ops() {
        return ops;
    }

    DeviceControl control() {
        return control;
    }

    /**
     * Replaces the operations that the device calls, for example by a wrapper around them, or restores them. Calls of
     * {@link DeviceControl} and {@link VlanFilter} still reach the driver itself.
     *
     * @param change gets the present operations and returns the new ones
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
     * Sends the driver a private command ({@code ndo_do_ioctl}).
     *
     * @param key the command
     * @param value its argument
     * @return the driver's result
     * @throws RdmaException EOPNOTSUPP for an unknown command, or the driver's own error
     */
    public String command(String key, String value) {
        return control.command(device, key, value);
    }

    /**
     * {@return the driver's private data for a new neighbour, see {@link DeviceControl#neighbourAttachment}}
     *
     * @param address the neighbour's IP address
     */
    public @Nullable Object neighbourAttachment(Gid address) {
        return control.neighbourAttachment(device, address);
    }

    /**
     * {@return the UDP source port of every packet that leaves, regardless of its header; 0 if the sender may choose}
     */
    public int udpSourcePort() {
        return ops.udpSourcePort();
    }

    /** {@return true if a thread can sleep in {@link #awaitReadable} until a packet arrives} */
    public boolean hasInterrupt() {
        return ops.hasInterrupt();
    }

    /** {@return true if the other end of its link announces packets, see {@link NetDeviceOps#isSignalled}} */
    public boolean isSignalled() {
        return ops.isSignalled();
    }

    /**
     * Blocks until a packet may have arrived, {@link #wakeup} is called, or the time is over. It may return early. One
     * thread at a time may call it, which does not own the device's loop.
     *
     * @param timeoutNs maximum time, nanoseconds
     */
    public void awaitReadable(long timeoutNs) {
        ops.awaitReadable(timeoutNs);
    }

    /** Ends the {@link #awaitReadable} of another thread, or its next call. Any thread may call it. */
    public void wakeup() {
        ops.wakeup();
    }
}
