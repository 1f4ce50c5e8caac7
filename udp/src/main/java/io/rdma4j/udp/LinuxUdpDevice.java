// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.linux.LinuxProcessMemory;
import io.rdma4j.linux.call.Epoll;
import io.rdma4j.linux.call.NativeAccess;
import io.rdma4j.linux.call.PollSet;
import io.rdma4j.linux.call.ReceiveBuffers;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.shm.ProcessMemory;
import io.rdma4j.shm.ShmDriver;
import io.rdma4j.shm.ShmTransport;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A software interface over UDP sockets, like {@link io.rdma4j.udp.UdpUnderlayDevice}, with native Linux calls.
 * One call sends a train ({@code UDP_SEGMENT}), and one call receives a train ({@code UDP_GRO}). The layers above see
 * one difference: this device accepts uncut trains.
 *
 * <p>Its sockets accept IPv6 datagrams without checksum ({@code UDP_NO_CHECK6_RX}), as Linux's own RoCE device sends
 * them. Their buffers exceed the system's limit if the process has CAP_NET_ADMIN. Allocates nothing in steady state.
 */
public final class LinuxUdpDevice extends ShmDriver implements UdpDriver {
    private final UdpUnderlayEthtool ethtool = new UdpUnderlayEthtool("udp-linux", this);
    private final String name;
    private final int interfaceIndex;
    private final Epoll epoll;
    private final PollSet readable;
    private final UdpSender sender;
    private final SkBuffPool pool;
    private final int maxDatagramBytes;
    private final @Nullable ShmTransport shared;
    private final NetDevice netDevice;
    private final int port;

    /** The sockets: one for each address, in order of the addresses, then one for each joined group. */
    private LinuxUnderlaySocket[] endpoints;

    /** Index of the next endpoint to poll. An endpoint is polled until it has no more packets. */
    private int turn;

    /** Buffer for the next datagram. */
    private @Nullable SkBuff vacant;

    /** A train that the socket has accepted in part, and the index of its first packet that is still to be sent. */
    private @Nullable SkBuff pending;

    private int pendingIndex;

    private LinuxUdpDevice(UdpUnderlaySettings settings, LinuxUnderlaySocket[] endpoints) {
        LocalInterface local = LocalInterface.of(settings.addresses().getFirst());
        this.name = settings.name();
        this.interfaceIndex = local.index();
        this.endpoints = endpoints;
        this.port = endpoints[0].socket().port();
        this.epoll = new Epoll(name);
        this.readable = new PollSet(name, epoll.descriptor());
        for (LinuxUnderlaySocket endpoint : endpoints) {
            epoll.add(endpoint.descriptor());
        }
        this.maxDatagramBytes = settings.maxDatagramBytes();
        this.sender = new UdpSender(local.mtu(), local.scopeId(), ethtool);
        this.pool = new SkBuffPool(settings.receiveBuffers(), ReceiveBuffers.HEADROOM + maxDatagramBytes);
        List<Gid> addresses = settings.addresses().stream().map(Gid::of).toList();
        this.shared = settings.sharedMemory() ? ShmTransport.open(addresses, udpSourcePort(), processMemory()) : null;
        NetDeviceSetup setup = new NetDeviceSetup(
                        name,
                        settings.ifindex(),
                        local.mtu(),
                        local.macAddress(),
                        addresses,
                        FeatureSet.of(
                                NetDeviceFeature.SG,
                                NetDeviceFeature.HIGHDMA,
                                NetDeviceFeature.FRAGLIST,
                                NetDeviceFeature.HW_CSUM,
                                NetDeviceFeature.GSO))
                .withPrivateFlags(
                        PrivateFlag.CARRIES_OFFLOADS, PrivateFlag.HIDDEN_IDENTIFICATION, PrivateFlag.UDP_ONLY);
        this.netDevice = NetHost.standalone(new NetDevice(setup, this));
        netDevice.setEthtool(ethtool);
        if (shared != null) {
            netDevice.features().gsoMaxSize(ShmTransport.LONGEST_TRAIN);
        }
    }

    private static @Nullable ProcessMemory processMemory() {
        LinuxProcessMemory memory = LinuxProcessMemory.find();
        return memory == null ? null : memory::read;
    }

    /** {@return true if this JVM may call Linux} */
    public static boolean isSupported() {
        return NativeAccess.isThere();
    }

    /**
     * Binds the sockets and creates the device, which is down. {@link NetDevice#unregister} closes it.
     *
     * @param settings of the device
     * @return the device, in a host of its own
     * @throws RdmaException EOPNOTSUPP if the system is not Linux or native access is not permitted, EADDRINUSE if the
     *     port is taken, EADDRNOTAVAIL if an address is not local, EACCES for a port that needs privileges, EIO for any
     *     other error
     */
    public static LinuxUdpDevice open(UdpUnderlaySettings settings) {
        NativeAccess.require("the Linux driver of the UDP interface " + settings.name());
        List<LinuxUnderlaySocket> bound = new ArrayList<>();
        try {
            int port = settings.port();
            for (InetAddress address : settings.addresses()) {
                NativeUdpSocket socket = NativeUdpSocket.open(
                        Gid.of(address), port, LocalInterface.of(address).index());
                bound.add(new LinuxUnderlaySocket(socket, settings.maxDatagramBytes()));
                port = socket.port();
            }
            return new LinuxUdpDevice(settings, bound.toArray(LinuxUnderlaySocket[]::new));
        } catch (RuntimeException e) {
            bound.forEach(LinuxUnderlaySocket::close);
            throw e;
        }
    }

    @Override
    public NetDevice netDevice() {
        return netDevice;
    }

    @Override
    public @Nullable ShmTransport sharedMemory() {
        return shared;
    }

    @Override
    public int sockets() {
        return endpoints.length;
    }

    @Override
    public int receiveBufferBytes() {
        return endpoints.length == 0 ? 0 : endpoints[0].socket().receiveBufferBytes();
    }

    @Override
    public int sendBufferBytes() {
        return endpoints.length == 0 ? 0 : endpoints[0].socket().sendBufferBytes();
    }

    @Override
    public int udpSourcePort() {
        return port;
    }

    @Override
    public List<Gid> follow(List<InetAddress> addresses) {
        if (!sender.flush(netDevice)) {
            sender.drop(netDevice);
        }
        List<LinuxUnderlaySocket> next = new ArrayList<>();
        for (InetAddress address : addresses) {
            LinuxUnderlaySocket endpoint = endpointAt(Gid.of(address));
            endpoint = endpoint == null ? tryBind(address) : endpoint;
            if (endpoint != null) {
                next.add(endpoint);
            }
        }
        List<Gid> bound =
                next.stream().map(endpoint -> endpoint.socket().local()).toList();
        for (LinuxUnderlaySocket endpoint : endpoints) {
            if (endpoint.socket().local().isMulticast()) {
                next.add(endpoint);
            } else if (!bound.contains(endpoint.socket().local())) {
                endpoint.close();
            }
        }
        endpoints = next.toArray(LinuxUnderlaySocket[]::new);
        turn = 0;
        if (shared != null) {
            shared.follow(bound);
        }
        return bound;
    }

    private @Nullable LinuxUnderlaySocket endpointAt(Gid address) {
        for (LinuxUnderlaySocket endpoint : endpoints) {
            if (endpoint.socket().local().equals(address)) {
                return endpoint;
            }
        }
        return null;
    }

    private @Nullable LinuxUnderlaySocket tryBind(InetAddress address) {
        try {
            NativeUdpSocket socket = NativeUdpSocket.open(
                    Gid.of(address), port, LocalInterface.of(address).index());
            LinuxUnderlaySocket endpoint = new LinuxUnderlaySocket(socket, maxDatagramBytes);
            epoll.add(endpoint.descriptor());
            return endpoint;
        } catch (RdmaException e) {
            // Duplicate address detection has not ended, or the address is gone again.
            return null;
        }
    }

    @Override
    protected NetdevTx send(SkBuff skb, NetDevice device) {
        if (!resume(device)) {
            return NetdevTx.BUSY;
        }
        LinuxUnderlaySocket from = sourceOf(skb);
        if (from == null || skb.shinfo().isGso() && skb.shinfo().offload() == null) {
            ethtool.countNoSocket();
            device.stats().countTransmitError();
            skb.free();
            return NetdevTx.OK;
        }
        int taken = sender.take(skb, 0, from.socket(), device);
        if (taken == 0) {
            ethtool.countBusy();
            return NetdevTx.BUSY;
        }
        finishOrKeep(skb, taken);
        device.transmitQueues().expectFlush();
        return NetdevTx.OK;
    }

    @Override
    public boolean flush(NetDevice device) {
        return resume(device) && sender.flush(device);
    }

    /** Continues with the pending train; returns true if none is pending any more. */
    private boolean resume(NetDevice device) {
        SkBuff skb = pending;
        if (skb != null) {
            LinuxUnderlaySocket from = sourceOf(skb);
            pending = null;
            finishOrKeep(
                    skb, from == null ? UdpSender.packets(skb) : sender.take(skb, pendingIndex, from.socket(), device));
        }
        return pending == null;
    }

    private void finishOrKeep(SkBuff skb, int next) {
        if (next < UdpSender.packets(skb)) {
            pending = skb;
            pendingIndex = next;
        } else {
            skb.free();
        }
    }

    private @Nullable LinuxUnderlaySocket sourceOf(SkBuff skb) {
        for (LinuxUnderlaySocket endpoint : endpoints) {
            if (endpoint.isSourceOf(skb)) {
                return endpoint;
            }
        }
        return null;
    }

    @Override
    public int dropWaiting(Predicate<? super SkBuff> condition) {
        int dropped = shared == null ? 0 : shared.dropWaiting(condition);
        SkBuff skb = pending;
        if (skb != null && condition.test(skb)) {
            pending = null;
            skb.free();
            dropped++;
        }
        return dropped;
    }

    @Override
    protected @Nullable SkBuff receive(NetDevice device) {
        SkBuff single = vacantBuffer();
        if (single == null) {
            // Consumers have not freed their buffers yet: packets wait in the sockets' buffers.
            ethtool.countNoBuffer();
            return null;
        }
        for (int empty = 0; empty < endpoints.length; empty++) {
            SkBuff skb = endpoints[turn].receive(single, device, ethtool);
            if (skb != null) {
                vacant = skb == single ? null : single;
                int payload = endpoints[turn].payloadBytes(skb);
                return shared != null && ShmTransport.isWakeup(payload) ? onWakeup(skb, payload, shared) : skb;
            }
            turn = turn + 1 == endpoints.length ? 0 : turn + 1;
        }
        return null;
    }

    private static @Nullable SkBuff onWakeup(SkBuff skb, int payloadBytes, ShmTransport shared) {
        shared.onWakeup(skb, payloadBytes);
        return shared.receive();
    }

    private @Nullable SkBuff vacantBuffer() {
        SkBuff skb = vacant;
        if (skb == null) {
            skb = pool.allocate();
            vacant = skb;
            if (skb != null) {
                skb.reserve(ReceiveBuffers.HEADROOM);
            }
        }
        return skb;
    }

    @Override
    protected void awaitSockets(long timeoutNs) {
        readable.await(timeoutNs);
    }

    @Override
    public void wakeup() {
        readable.wakeup();
    }

    @Override
    public void joinMulticast(Gid group, NetDevice device) {
        if (!group.isMulticast()) {
            throw new RdmaException(Errno.EINVAL, group + " is no multicast group: 224.0.0.0/4 and ff00::/8 are");
        }
        if (interfaceIndex == 0) {
            throw new RdmaException(Errno.ENODEV, name + " has no interface that could join " + group);
        }
        NativeUdpSocket socket = NativeUdpSocket.join(group, udpSourcePort(), interfaceIndex);
        LinuxUnderlaySocket joined = new LinuxUnderlaySocket(socket, maxDatagramBytes);
        epoll.add(joined.descriptor());
        endpoints = Arrays.copyOf(endpoints, endpoints.length + 1);
        endpoints[endpoints.length - 1] = joined;
    }

    @Override
    public void leaveMulticast(Gid group, NetDevice device) {
        List<LinuxUnderlaySocket> left = new ArrayList<>();
        for (LinuxUnderlaySocket endpoint : endpoints) {
            if (endpoint.socket().local().equals(group)) {
                endpoint.close();
            } else {
                left.add(endpoint);
            }
        }
        endpoints = left.toArray(LinuxUnderlaySocket[]::new);
        turn = 0;
    }

    @Override
    public void stop(NetDevice device) {
        dropWaiting(_ -> true);
        sender.drop(device);
    }

    @Override
    public void uninit(NetDevice device) {
        readable.close();
        epoll.close();
        if (shared != null) {
            shared.close();
        }
        for (LinuxUnderlaySocket endpoint : endpoints) {
            endpoint.close();
        }
        SkBuff skb = vacant;
        if (skb != null) {
            vacant = null;
            skb.free();
        }
        sender.close();
        pool.close();
    }
}
