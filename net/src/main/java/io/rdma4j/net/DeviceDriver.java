// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.DeviceCore;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The driver of a device ({@code netdev_ops}), and the calls that users direct to the driver alone. */
public final class DeviceDriver {
    private final NetDevice device;
    private final DeviceCore core;
    private final DriverCalls calls;

    DeviceDriver(NetDevice device, DeviceCore core, DriverCalls calls) {
        this.device = device;
        this.core = core;
        this.calls = calls;
    }

    /** {@return the driver's operations, or those that {@link #interpose} put in front of them} */
    public NetDeviceOps ops() {
        return calls.ops();
    }

    DeviceControl control() {
        return calls.control();
    }

    /**
     * Replaces the operations that the device calls, for example by a wrapper around them, or restores them. Calls of
     * {@link DeviceControl} and {@link VlanFilter} still reach the driver itself.
     *
     * @param change gets the present operations and returns the new ones
     * @throws RdmaException EBUSY while the device is up
     */
    public void interpose(UnaryOperator<NetDeviceOps> change) {
        core.exclusively(() -> {
            if (core.state().isRunning()) {
                throw new RdmaException(Errno.EBUSY, core.name() + " is up: take it down to change what is below it");
            }
            calls.ops(change.apply(calls.ops()));
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
        return calls.control().command(device, key, value);
    }

    /**
     * {@return the driver's private data for a new neighbour, see {@link DeviceControl#neighbourAttachment}}
     *
     * @param address the neighbour's IP address
     */
    public @Nullable Object neighbourAttachment(Gid address) {
        return calls.control().neighbourAttachment(device, address);
    }

    /**
     * {@return the UDP source port of every packet that leaves, regardless of its header; 0 if the sender may choose}
     */
    public int udpSourcePort() {
        return ops().udpSourcePort();
    }

    /** {@return true if a thread can sleep in {@link #awaitReadable} until a packet arrives} */
    public boolean hasInterrupt() {
        return ops().hasInterrupt();
    }

    /** {@return true if the other end of its link announces packets, see {@link NetDeviceOps#isSignalled}} */
    public boolean isSignalled() {
        return ops().isSignalled();
    }

    /**
     * Blocks until a packet may have arrived, {@link #wakeup} is called, or the time is over. It may return early. One
     * thread at a time may call it, which does not own the device's loop.
     *
     * @param timeoutNs maximum time, nanoseconds
     */
    public void awaitReadable(long timeoutNs) {
        ops().awaitReadable(timeoutNs);
    }

    /** Ends the {@link #awaitReadable} of another thread, or its next call. Any thread may call it. */
    public void wakeup() {
        ops().wakeup();
    }
}
