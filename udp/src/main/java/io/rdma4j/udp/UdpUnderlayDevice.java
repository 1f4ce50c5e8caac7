// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.loop.socket.SocketWatch;
import io.rdma4j.loop.socket.UdpSocket;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.shm.ShmDriver;
import io.rdma4j.shm.ShmTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Carries UDP-in-IP packets over plain UDP sockets of the operating system, one for each address of the interface:
 * portable, without privileges.
 *
 * <p>On transmit, the device removes the IP and UDP headers. It sends the payload from the socket of the source address
 * to the address and port that the headers name. On receive, it prepends headers made by {@link SyntheticHeader}. So
 * the layers above see IP packets. The cost: all packets leave from the port of the sockets ({@link #udpSourcePort})
 * with the system's time to live and traffic class, and the IPv4 identification and congestion marks (ECN) of received
 * packets are hidden.
 *
 * <p>Allocates nothing in steady state, except that the JDK allocates an address object whenever a packet comes from a
 * different peer than the previous one.
 */
public final class UdpUnderlayDevice extends ShmDriver implements UdpDriver {
    /** Maximum number of too long packets that one poll skips. */
    private static final int SKIPS_PER_POLL = 16;

    /** The sockets: one for each address, in the order of the addresses, then one for each joined group. */
    private UnderlaySocket[] endpoints;

    private final @Nullable NetworkInterface link;
    private final SocketWatch watch;
    private final int port;
    private final int maxDatagramBytes;
    private final SkBuffPool pool;
    private final NetDevice netDevice;
    private final @Nullable ShmTransport shared;
    private final UdpUnderlayEthtool ethtool = new UdpUnderlayEthtool("udp-underlay", this);

    /** Index of the socket that is polled next: a socket is polled until it has no more packets. */
    private int turn;

    private UdpUnderlayDevice(UdpUnderlaySettings settings, UnderlaySocket[] endpoints, SocketWatch watch) {
        InetAddress first = settings.addresses().getFirst();
        LocalInterface local = LocalInterface.of(first);
        this.link = networkInterface(first);
        this.endpoints = endpoints;
        this.port = endpoints[0].port();
        this.watch = watch;
        this.maxDatagramBytes = settings.maxDatagramBytes();
        this.pool = new SkBuffPool(settings.receiveBuffers(), UnderlaySocket.HEADROOM + maxDatagramBytes + 1);
        List<Gid> addresses = settings.addresses().stream().map(Gid::of).toList();
        this.shared = settings.sharedMemory() ? ShmTransport.open(addresses, udpSourcePort(), null) : null;
        NetDeviceSetup setup = new NetDeviceSetup(
                        settings.name(),
                        settings.ifindex(),
                        local.mtu(),
                        local.macAddress(),
                        addresses,
                        shared == null ? FeatureSet.NONE : ShmTransport.FEATURES)
                .withPrivateFlags(PrivateFlag.HIDDEN_IDENTIFICATION, PrivateFlag.UDP_ONLY);
        if (shared != null) {
            setup = setup.withPrivateFlags(
                    PrivateFlag.HIDDEN_IDENTIFICATION, PrivateFlag.UDP_ONLY, PrivateFlag.CARRIES_OFFLOADS);
        }
        this.netDevice = NetHost.standalone(new NetDevice(setup, this));
        netDevice.setEthtool(ethtool);
        if (shared != null) {
            netDevice.features().gsoMaxSize(ShmTransport.LONGEST_TRAIN);
        }
    }

    private static @Nullable NetworkInterface networkInterface(InetAddress address) {
        try {
            return LocalInterface.find(address);
        } catch (SocketException e) {
            // The interface was removed concurrently, so no group can be joined on it.
            return null;
        }
    }

    /**
     * Binds the sockets and creates the network device, down. {@link NetDevice#unregister} closes it.
     *
     * @param settings configuration of the device
     * @return the device, in a host of its own
     * @throws RdmaException EADDRINUSE if the port is taken, EADDRNOTAVAIL if an address is not this host's, EACCES for
     *     a port that needs privileges, EIO for any other error of the system
     */
    public static UdpUnderlayDevice open(UdpUnderlaySettings settings) {
        List<UnderlaySocket> bound = new ArrayList<>();
        try {
            int port = settings.port();
            for (InetAddress address : settings.addresses()) {
                UnderlaySocket endpoint = bind(address, port);
                bound.add(endpoint);
                port = endpoint.port();
            }
            SocketWatch watch = new SocketWatch();
            for (UnderlaySocket endpoint : bound) {
                endpoint.watch(watch);
            }
            return new UdpUnderlayDevice(settings, bound.toArray(UnderlaySocket[]::new), watch);
        } catch (RdmaException e) {
            bound.forEach(UnderlaySocket::close);
            throw e;
        } catch (IOException e) {
            bound.forEach(UnderlaySocket::close);
            throw new RdmaException(Errno.EIO, settings.name() + ": cannot watch its sockets: " + e.getMessage(), e);
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

    /** No features for a packet that leaves through the sockets. */
    @Override
    public FeatureSet featuresCheck(SkBuff skb, NetDevice device, FeatureSet features) {
        return shared == null || shared.carries(skb) ? features : FeatureSet.NONE;
    }

    @Override
    public int receiveBufferBytes() {
        return granted(StandardSocketOptions.SO_RCVBUF);
    }

    @Override
    public int sendBufferBytes() {
        return granted(StandardSocketOptions.SO_SNDBUF);
    }

    @Override
    public int sockets() {
        return endpoints.length;
    }

    private int granted(SocketOption<Integer> option) {
        return endpoints.length == 0 ? 0 : UdpSocket.granted(endpoints[0].channel(), option);
    }

    @Override
    public int udpSourcePort() {
        return port;
    }

    @Override
    public List<Gid> follow(List<InetAddress> addresses) {
        List<UnderlaySocket> next = new ArrayList<>();
        for (InetAddress address : addresses) {
            UnderlaySocket endpoint = endpointAt(Gid.of(address));
            endpoint = endpoint == null ? tryBind(address) : endpoint;
            if (endpoint != null) {
                next.add(endpoint);
            }
        }
        List<Gid> bound = next.stream().map(UnderlaySocket::local).toList();
        for (UnderlaySocket endpoint : endpoints) {
            if (endpoint.local().isMulticast()) {
                next.add(endpoint);
            } else if (!bound.contains(endpoint.local())) {
                watch.close(endpoint.channel());
            }
        }
        endpoints = next.toArray(UnderlaySocket[]::new);
        turn = 0;
        if (shared != null) {
            shared.follow(bound);
        }
        return bound;
    }

    private @Nullable UnderlaySocket endpointAt(Gid address) {
        for (UnderlaySocket endpoint : endpoints) {
            if (endpoint.local().equals(address)) {
                return endpoint;
            }
        }
        return null;
    }

    private @Nullable UnderlaySocket tryBind(InetAddress address) {
        @Nullable UnderlaySocket endpoint = null;
        try {
            endpoint = bind(address, port);
            endpoint.watch(watch);
            return endpoint;
        } catch (RdmaException | IOException e) {
            // Duplicate address detection has not ended, or the address is gone again.
            if (endpoint != null) {
                endpoint.close();
            }
            return null;
        }
    }

    private static UnderlaySocket bind(InetAddress address, int port) {
        UnderlaySocket endpoint =
                UnderlaySocket.open(address, port, LocalInterface.of(address).scopeId());
        NetworkInterface link = networkInterface(address);
        if (link != null) {
            UdpSocket.multicastInterface(endpoint.channel(), link);
        }
        return endpoint;
    }

    @Override
    protected NetdevTx send(SkBuff skb, NetDevice device) {
        UnderlaySocket from = sourceOf(skb);
        if (from == null) {
            ethtool.countNoSocket();
            return refuse(skb, device);
        }
        try {
            if (from.send(skb) == NetdevTx.BUSY) {
                ethtool.countBusy();
                return NetdevTx.BUSY;
            }
        } catch (IOException | IllegalArgumentException e) {
            // Unreachable, too long for the link, or closed: the sender's timers retransmit or fail.
            ethtool.countRefused();
            return refuse(skb, device);
        }
        device.timestamps().transmitting(skb);
        ethtool.countCall();
        device.stats().countTransmitted(1, skb.len());
        skb.free();
        return NetdevTx.OK;
    }

    private @Nullable UnderlaySocket sourceOf(SkBuff skb) {
        for (UnderlaySocket endpoint : endpoints) {
            if (skb.len() > 0 && endpoint.isSourceOf(skb)) {
                return endpoint;
            }
        }
        return null;
    }

    private static NetdevTx refuse(SkBuff skb, NetDevice device) {
        device.stats().countTransmitError();
        skb.free();
        return NetdevTx.OK;
    }

    @Override
    protected @Nullable SkBuff receive(NetDevice device) {
        SkBuff skb = pool.allocate();
        if (skb == null) {
            // All buffers are in use: packets wait in the sockets' receive buffers.
            ethtool.countNoBuffer();
            return null;
        }
        int empty = 0;
        for (int skipped = 0; empty < endpoints.length && skipped < SKIPS_PER_POLL; ) {
            int length = endpoints[turn].receive(skb, maxDatagramBytes, device);
            if (length == UnderlaySocket.NONE) {
                turn = turn + 1 == endpoints.length ? 0 : turn + 1;
                empty++;
            } else if (shared != null && ShmTransport.isWakeup(length)) {
                shared.onWakeup(skb, length);
                return shared.receive();
            } else if (length <= maxDatagramBytes) {
                return skb;
            } else {
                ethtool.countTooLong();
                device.stats().countReceiveError();
                skipped++;
            }
        }
        skb.free();
        return null;
    }

    @Override
    protected void awaitSockets(long timeoutNs) {
        watch.await(timeoutNs);
    }

    @Override
    public void wakeup() {
        watch.wakeup();
    }

    @Override
    public int dropWaiting(Predicate<? super SkBuff> condition) {
        return shared == null ? 0 : shared.dropWaiting(condition);
    }

    @Override
    public void stop(NetDevice device) {
        dropWaiting(_ -> true);
    }

    @Override
    public void joinMulticast(Gid group, NetDevice device) {
        NetworkInterface through = link;
        if (through == null) {
            throw new RdmaException(Errno.ENODEV, device.name() + " has no interface that could join " + group);
        }
        UnderlaySocket joined = UnderlaySocket.join(group, udpSourcePort(), through);
        try {
            joined.watch(watch);
        } catch (IOException e) {
            joined.close();
            throw new RdmaException(Errno.EIO, device.name() + ": cannot watch the socket of " + group, e);
        }
        endpoints = Arrays.copyOf(endpoints, endpoints.length + 1);
        endpoints[endpoints.length - 1] = joined;
    }

    @Override
    public void leaveMulticast(Gid group, NetDevice device) {
        for (UnderlaySocket endpoint : endpoints) {
            if (endpoint.local().equals(group)) {
                endpoint.close();
            }
        }
        endpoints = Arrays.stream(endpoints)
                .filter(endpoint -> !endpoint.local().equals(group))
                .toArray(UnderlaySocket[]::new);
        turn = 0;
    }

    @Override
    public void destructor(NetDevice device) {
        watch.close();
        if (shared != null) {
            shared.close();
        }
        for (UnderlaySocket endpoint : endpoints) {
            endpoint.close();
        }
        pool.close();
    }
}
