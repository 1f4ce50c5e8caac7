// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.IpInterface;
import io.rdma4j.ip.IpSettings;
import io.rdma4j.ip.IpStack;
import io.rdma4j.ip.StackClient;
import io.rdma4j.loop.LoopClient;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.net.NetDevice;
import org.jspecify.annotations.Nullable;

/**
 * Holds the interface of a port, and the IP stack and the loop of its host. The host either belongs to the port, so
 * that both are opened and closed together, or the port shares the host with others.
 */
public final class PortSite {
    private final IpStack stack;
    private final IpInterface ip;
    private final NetLoop loop;

    /** Null if the port shares the host with others. */
    private final @Nullable StackClient own;

    private PortSite(IpStack stack, IpInterface ip, NetLoop loop, @Nullable StackClient own) {
        this.stack = stack;
        this.ip = ip;
        this.loop = loop;
        this.own = own;
    }

    /** @param device without IP handlers, in no loop; closing the port unregisters it */
    static PortSite alone(NetDevice device, RxeOptions options) {
        NetLoop loop = new NetLoop(options.clock(), options.progress());
        IpStack stack = new IpStack(IpSettings.DEFAULT, loop::nowNs);
        return new PortSite(stack, stack.add(device), loop, new StackClient(stack, loop));
    }

    /**
     * {@return a site on a host that has other devices and programs; the host outlives the port}
     *
     * @param device sends and receives the port's packets
     * @param stack of the namespace that {@code device} is in
     * @param loop that drives {@code device}
     * @throws RdmaException EINVAL if {@code device} does not belong to {@code stack}
     */
    public static PortSite on(NetDevice device, IpStack stack, NetLoop loop) {
        IpInterface ip = stack.interfaceOf(device);
        if (ip == null) {
            throw new RdmaException(Errno.EINVAL, device.name() + " is no device of this IP stack: add it first");
        }
        return new PortSite(stack, ip, loop, null);
    }

    NetDevice device() {
        return ip.device();
    }

    IpInterface ip() {
        return ip;
    }

    IpStack stack() {
        return stack;
    }

    NetLoop loop() {
        return loop;
    }

    /** Starts to receive. */
    void open(LoopClient port) {
        if (own != null) {
            loop.add(device());
            // A VLAN, bridge or bond receives through the devices below it.
            device().stack().below().forEach(loop::add);
            loop.add(own);
        }
        loop.add(port);
        if (own != null) {
            loop.start(device().name());
        }
    }

    /** Removes the port from the loop. The caller must not be the owner of the loop. */
    void leave(LoopClient port) {
        if (own != null) {
            loop.close();
            device().stack().below().forEach(loop::remove);
        }
        loop.remove(port);
    }

    /** The device of a closed port belongs to no loop any more. The caller must not be the owner of the loop. */
    void releaseDevice() {
        if (own != null) {
            loop.remove(device());
        }
    }

    /** Closes what belongs to the port alone. For the owner of the loop. */
    void close() {
        if (own != null) {
            own.close();
            device().unregister();
            stack.close();
        }
    }
}
