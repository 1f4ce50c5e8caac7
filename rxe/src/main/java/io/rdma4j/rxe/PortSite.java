package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ip.IpInterface;
import io.rdma4j.net.ip.IpSettings;
import io.rdma4j.net.ip.IpStack;
import io.rdma4j.net.ip.StackClient;
import io.rdma4j.net.loop.LoopClient;
import io.rdma4j.net.loop.NetLoop;
import org.jspecify.annotations.Nullable;

/**
 * Where a port is: its interface, and the IP layer and the loop of the host that the interface belongs to. Either the port is all
 * there is on that host, which then begins and ends with it, or it is a guest.
 */
public final class PortSite {
    private final IpStack stack;
    private final IpInterface ip;
    private final NetLoop loop;

    /** Of a host of the port's own; null for a guest. */
    private final @Nullable StackClient own;

    private PortSite(IpStack stack, IpInterface ip, NetLoop loop, @Nullable StackClient own) {
        this.stack = stack;
        this.ip = ip;
        this.loop = loop;
        this.own = own;
    }

    /** @param device without handlers of IP, in no loop; unregistered with the port */
    static PortSite alone(NetDevice device, RxeOptions options) {
        NetLoop loop = new NetLoop(options.clock(), options.progress());
        IpStack stack = new IpStack(IpSettings.DEFAULT, loop::nowNs);
        return new PortSite(stack, stack.add(device), loop, new StackClient(stack, loop));
    }

    /**
     * {@return a site on a host with other devices and programs; all of them outlive the port}
     *
     * @param device that carries the port's packets
     * @param stack of the namespace that {@code device} is in
     * @param loop that drives {@code device}
     * @throws RdmaException EINVAL if the device is none of {@code stack}
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

    /** IP on the interface. */
    IpInterface ip() {
        return ip;
    }

    IpStack stack() {
        return stack;
    }

    NetLoop loop() {
        return loop;
    }

    /** The port begins to receive. */
    void open(LoopClient port) {
        if (own != null) {
            loop.add(device());
            // What a VLAN, a bridge or a bond receives, the devices below it receive.
            device().stack().below().forEach(loop::add);
            loop.add(own);
        }
        loop.add(port);
        if (own != null) {
            loop.start(device().name());
        }
    }

    /** Nobody comes into the loop for the port any more. Not by the owner of the loop. */
    void leave(LoopClient port) {
        if (own != null) {
            loop.close();
            device().stack().below().forEach(loop::remove);
        }
        loop.remove(port);
    }

    /** Gives back what is the port's alone; by the owner of the loop. */
    void close() {
        if (own != null) {
            own.close();
            device().unregister();
            stack.close();
        }
    }
}
