// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ipoib;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.NanoClock;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.net.DeviceControl;
import io.rdma4j.net.InfinibandHeader;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.ethtool.DriverInfo;
import io.rdma4j.net.ethtool.EthtoolOps;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.net.transmit.TransmitQueues;
import io.rdma4j.packet.ChecksumState;
import io.rdma4j.packet.PacketType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.sa.SaClient;
import io.rdma4j.sa.SaRecord;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.EventRegistration;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.ip.IpoibHeader;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.mad.sa.McMemberRecord;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A network device over a port of an InfiniBand device ({@code ib0}): IP in datagrams of a UD queue pair, with ARP and
 * neighbour discovery over the broadcast group of the partition. It has a carrier while it is a member of that group.
 *
 * {@snippet :
 * NetDevice ib0 = IpoibDevice.create("ib%d", services, 0, clock);
 * namespace.register(ib0).up();
 * ib0.ip().set(List.of(InterfaceAddress.parse("10.0.0.1/24")));
 * }
 */
public final class IpoibDevice implements NetDeviceOps, DeviceControl {
    /** Maximum size of an IP packet: the path MTU 2048 without the encapsulation header (RFC 4391, 7). */
    public static final int MTU = IpoibQp.PACKET_BYTES - IpoibHeader.BYTES;

    private static final int RECEIVE_BUFFERS = 1024;
    private static final int HEADROOM = 64;

    /** The encapsulation header begins behind the number of the destination. */
    private static final int NUMBER_BYTES = Long.BYTES;

    private final NetDevice device;
    private final GeneralServices services;
    private final IpoibQp qp;
    private final SaClient sa;
    private final HardwareAddresses addresses;
    private final SubnetPaths paths;
    private final SubnetGroups groups;
    private final EventRegistration events;
    private final SkBuffPool buffers = SkBuffPool.growing(RECEIVE_BUFFERS, HEADROOM + IpoibQp.PACKET_BYTES);

    /** What other threads give to the owner of the loop. */
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    private IpoibDevice(String name, GeneralServices services, int pkeyIndex, NanoClock clock) {
        this.services = services;
        int port = services.port();
        int pkey = services.context().queryPkey(port, pkeyIndex);
        Gid gid = services.context().queryGid(port, 0);
        this.addresses = new HardwareAddresses(pkey);
        this.qp = new IpoibQp(services.context(), port, pkeyIndex, this::schedule);
        this.sa = SaClient.open(services);
        this.paths = new SubnetPaths(sa, qp, port, gid, pkey, this::run, this::resolved);
        this.groups = new SubnetGroups(sa, qp, port, pkey, addresses.broadcast(), clock, this::run, this::resolved);
        long own = addresses.own(new HardwareAddress(qp.qpn(), gid));
        NetDeviceSetup setup = new NetDeviceSetup(
                        LinkType.INFINIBAND,
                        name,
                        0,
                        MTU,
                        own,
                        List.of(),
                        Set.of(
                                NetDeviceFeature.SG,
                                NetDeviceFeature.HIGHDMA,
                                NetDeviceFeature.IP_CSUM,
                                NetDeviceFeature.RXCSUM))
                .withQueueLength(TransmitQueues.ETHERNET_LENGTH);
        this.device = new NetDevice(setup, this);
        device.link().format(addresses);
        device.setEthtool(new Ethtool());
        device.setCarrier(false);
        this.events = services.context().registerEventHandler(this::onEvent);
    }

    /**
     * Creates a device, down. Its queue pair and its groups are closed when it is unregistered.
     *
     * @param name or a pattern, {@code ib%d} in Linux
     * @param services of the port, whose first GID is in the hardware address; closed after the device
     * @param pkeyIndex index of the partition in the P_Key table of the port
     * @param clock of the loop that will drive the device
     * @return the device; the caller registers it
     * @throws io.rdma4j.base.RdmaException errors of the verbs, such as ENOMEM
     */
    public static NetDevice create(String name, GeneralServices services, int pkeyIndex, NanoClock clock) {
        return new IpoibDevice(name, services, pkeyIndex, clock).device;
    }

    /** {@code ethtool -i} and {@code -S}; the counters are those of the last run of the loop. */
    private final class Ethtool implements EthtoolOps {
        @Override
        public DriverInfo driverInfo() {
            return new DriverInfo("ib_ipoib", "", services.context().device().name());
        }

        @Override
        public SequencedMap<String, Long> statistics() {
            SequencedMap<String, Long> counters = new LinkedHashMap<>();
            counters.put("paths_failed", paths.failed());
            counters.put("joins_failed", groups.failed());
            return counters;
        }
    }

    // Other threads

    private void schedule() {
        device.napi().schedule();
    }

    private void run(Runnable task) {
        tasks.add(task);
        schedule();
    }

    private void onEvent(AsyncEvent event) {
        switch (event.type()) {
            case LID_CHANGE, SM_CHANGE, CLIENT_REREGISTER, PORT_ACTIVE -> run(this::subnetChanged);
            case PORT_ERR, DEVICE_FATAL -> run(() -> device.setCarrier(false));
            default -> {}
        }
    }

    /** As {@code ipoib_ib_dev_flush_light}: paths are asked for again, and groups that have failed. */
    private void subnetChanged() {
        for (Peer peer : addresses.all()) {
            if (!peer.address.isGroup()) {
                qp.retire(peer.forgetPath());
            }
        }
        groups.retryNow();
        device.setCarrier(groups.parameters() != null);
    }

    @Override
    public void setRxMode(NetDevice changed) {
        run(this::followGroups);
    }

    private void followGroups() {
        for (Peer peer : addresses.all()) {
            if (peer.address.isGroup() && peer != addresses.broadcast()) {
                boolean wanted = contains(device.link().multicast(), peer.number);
                if (wanted) {
                    addresses.hold(peer, true);
                    groups.join(peer);
                } else if (groups.isMember(peer)) {
                    groups.leave(peer);
                    addresses.hold(peer, false);
                }
            }
        }
    }

    private static boolean contains(long[] numbers, long number) {
        for (long one : numbers) {
            if (one == number) {
                return true;
            }
        }
        return false;
    }

    // The owner of the loop

    @Override
    public void open(NetDevice opened) {
        run(() -> groups.join(addresses.broadcast()));
    }

    @Override
    public void stop(NetDevice stopped) {
        tasks.clear();
        groups.leaveAll();
        for (Peer peer : addresses.all()) {
            qp.retire(peer.forgetPath()); // the answer to a request may be among the tasks
            peer.waiting.purge();
        }
        device.setCarrier(false);
    }

    /** A path was found, a group was joined; or that has failed. */
    private void resolved(Peer peer) {
        SaRecord parameters = groups.parameters();
        if (peer == addresses.broadcast()) {
            device.setCarrier(parameters != null);
            if (parameters != null) {
                int code = (int) parameters.get(McMemberRecord.MTU);
                device.queueWork(() -> limitMtu(code)); // ipoib_mcast_carrier_on_task
            }
        }
        for (SkBuff skb = peer.waiting.dequeue(); skb != null; skb = peer.waiting.dequeue()) {
            if (peer.path != null && qp.mayPost()) {
                post(skb, peer);
            } else {
                device.stats().countTransmitDrop();
            }
            skb.free();
        }
    }

    /** Linux: {@code mcast_mtu}. Under the RTNL lock. */
    private void limitMtu(int code) {
        int most = Mtu.ofCode(code).bytes() - IpoibHeader.BYTES;
        if (most < device.mtu()) {
            device.setMtu(most);
        }
    }

    @Override
    public void changeMtu(NetDevice changed, int bytes) {}

    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice from) {
        Peer peer = addresses.find(InfinibandHeader.destination(skb));
        boolean isTooLong = skb.len() - NUMBER_BYTES > IpoibQp.PACKET_BYTES;
        if (peer == null || isTooLong) {
            from.stats().countTransmitError();
        } else if (peer.path == null) {
            return await(skb, peer, from);
        } else if (!qp.mayPost()) {
            return NetdevTx.BUSY;
        } else {
            post(skb, peer);
        }
        skb.free();
        return NetdevTx.OK;
    }

    private void post(SkBuff skb, Peer peer) {
        int bytes = skb.len() - NUMBER_BYTES;
        if (qp.post(skb, NUMBER_BYTES, Objects.requireNonNull(peer.path), peer.address.qpn())) {
            device.stats().countTransmitted(1, bytes);
        } else {
            device.stats().countTransmitError();
        }
    }

    /** The packet waits for the path. A group that is not joined yet is joined to send to it. */
    private NetdevTx await(SkBuff skb, Peer peer, NetDevice from) {
        if (!skb.orphanFrags()) {
            from.stats().countTransmitError();
            skb.free();
            return NetdevTx.OK;
        }
        for (int dropped = peer.enqueue(skb); dropped > 0; dropped--) {
            from.stats().countTransmitDrop();
        }
        if (!peer.address.isGroup()) {
            paths.request(peer);
        } else {
            addresses.hold(peer, true);
            groups.join(peer);
        }
        return NetdevTx.OK;
    }

    @Override
    public int dropWaiting(Predicate<? super SkBuff> condition) {
        int dropped = 0;
        for (Peer peer : addresses.all()) {
            dropped += peer.waiting.purge(condition);
        }
        return dropped;
    }

    // Receiving

    @Override
    public boolean isSignalled() {
        return true;
    }

    @Override
    public @Nullable SkBuff pollReceive(NetDevice to) {
        runTasks();
        SkBuff packet = receive();
        if (packet == null && qp.expect()) {
            packet = receive();
        }
        if (packet == null) {
            countFailed(qp.reclaim());
            long next = groups.advance();
            if (next != Deadline.NEVER) {
                device.napi().pollAt(next);
            }
        }
        return packet;
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        for (Peer gone : addresses.takeReplaced()) {
            groups.leave(gone);
            qp.retire(gone.forgetPath());
            gone.waiting.purge();
        }
    }

    private void countFailed(int packets) {
        for (int i = 0; i < packets; i++) {
            device.stats().countTransmitError();
        }
    }

    private @Nullable SkBuff receive() {
        SkBuff packet = null;
        int buffer = -1;
        do {
            try (CompletionCursor cursor = qp.received()) {
                if (!cursor.next()) {
                    return null;
                }
                buffer = (int) cursor.wrId();
                packet = take(cursor);
            }
            qp.repost(buffer);
        } while (packet == null);
        return packet;
    }

    /** Copies a packet out of its buffer; null if it is dropped. */
    private @Nullable SkBuff take(CompletionCursor cursor) {
        int length = IpoibQp.packetBytes(cursor);
        boolean isIntact = cursor.status() == WcStatus.SUCCESS && length >= IpoibHeader.BYTES;
        SkBuff packet = isIntact ? buffers.allocate() : null;
        if (packet == null) {
            if (isIntact) {
                device.stats().countReceiveDrop();
            } else {
                device.stats().countReceiveError();
            }
            return null;
        }
        packet.reserve(HEADROOM);
        int at = packet.put(length);
        MemorySegment.copy(qp.memory(), IpoibQp.packetOffset(cursor), packet.memory(), at, length);
        packet.meta().packetType(typeOf(cursor));
        packet.meta().ipSummed(cursor.has(WcFlag.IP_CSUM_OK) ? ChecksumState.UNNECESSARY : ChecksumState.NONE);
        return packet;
    }

    private PacketType typeOf(CompletionCursor cursor) {
        if (!cursor.has(WcFlag.GRH)) {
            return PacketType.HOST;
        }
        long at = IpoibQp.routeOffset(cursor); // a GRH has the format of an IPv6 header
        long prefix = Ipv6.destinationPrefix(qp.memory(), at);
        if (prefix >>> 56 != 0xFF) {
            return PacketType.HOST;
        }
        Gid all = addresses.broadcast().address.gid();
        boolean isBroadcast =
                prefix == all.prefix() && Ipv6.destinationInterfaceId(qp.memory(), at) == all.interfaceId();
        return isBroadcast ? PacketType.BROADCAST : PacketType.MULTICAST;
    }

    @Override
    public void uninit(NetDevice gone) {
        events.close();
        groups.leaveAll();
    }

    @Override
    public void destructor(NetDevice released) {
        for (Peer peer : addresses.all()) {
            qp.retire(peer.forgetPath());
        }
        sa.close();
        qp.close();
        buffers.close();
    }
}
