// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.hca.DeviceIdentity;
import io.rdma4j.hca.GidTable;
import io.rdma4j.hca.InputCounters;
import io.rdma4j.hca.PortInfoBytes;
import io.rdma4j.hca.port.HcaPort;
import io.rdma4j.hca.qp.QpServices;
import io.rdma4j.ip.IpStack;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.rxe.carrier.DeviceLink;
import io.rdma4j.rxe.carrier.NetDeviceCarrier;
import io.rdma4j.rxe.carrier.RoceRawQps;
import io.rdma4j.transport.port.TransportCounters;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.ContextOps;

/**
 * A software RoCEv2 port: the port of an RDMA device over a network device and the IP stack of its host.
 */
public final class RxePort implements AutoCloseable {
    private final PortSite site;
    private final NetDevice device;
    private final NetLoop netLoop;
    private final NetDeviceCarrier carrier;
    private final HcaPort port;

    /**
     * Creates a port on its own host, which is closed together with the port.
     *
     * @param device up, without IP handlers; closing the port unregisters it
     * @param options of the port
     */
    public RxePort(NetDevice device, RxeOptions options) {
        this(PortSite.alone(device, options), options);
    }

    /**
     * Creates a port on the host of a site.
     *
     * @param site its device is up and has no other port
     * @param options of the port
     */
    public RxePort(PortSite site, RxeOptions options) {
        this.site = site;
        this.device = site.device();
        this.netLoop = site.loop();
        DeviceLink link = new DeviceLink(device, site.stack(), netLoop, options.progress(), options.sharedMemory());
        GidTable gids = new GidTable(link);
        TransportOptions transport = options.transport();
        this.carrier = new NetDeviceCarrier(
                link,
                site.ip(),
                gids,
                options.udpPort(),
                transport.congestionControl() != null,
                !transport.placesOutOfOrder());
        RoceRawQps raw = new RoceRawQps(carrier, options.rawPackets());
        this.port = new HcaPort(carrier, gids, netLoop, raw, options.port());
    }

    /**
     * Starts to receive, as the port of {@code owner}.
     *
     * @param kept the attribute PortInfo as it was when the port was last closed
     */
    void start(DeviceIdentity owner, PortInfoBytes kept) {
        port.start(owner, kept);
        site.open(port.loop());
        port.startRecording();
    }

    /**
     * Returns a context that uses the port.
     *
     * @param onClose called when the context is closed
     */
    ContextOps open(DeviceIdentity owner, ContextEvents listener, Runnable onClose) {
        return port.open(owner, listener, onClose);
    }

    /**
     * Changes an entry of the P_Key table, as a subnet manager does on InfiniBand. Queue pairs that use the entry move
     * to that partition at once, and PKEY_CHANGE is raised. Any thread.
     *
     * @param index entry of the table, from 0
     * @param pkey 16 bits, bit 15 for a full member; 0 to leave the partition
     * @throws RdmaException EINVAL if there is no such entry, or {@code pkey} is invalid
     */
    public void setPkey(int index, int pkey) {
        port.setPkey(index, pkey);
    }

    /**
     * Takes the device out of service, like an unrecoverable error. The port sends and receives nothing any more, and
     * all queue pairs move to ERR. The oldest request of each send queue completes with FATAL_ERR, and DEVICE_FATAL is
     * raised. For tests of programs that must survive this. The device works again after all its contexts were closed.
     * Any thread.
     *
     * @param reason text for the log and the exception
     */
    public void fail(String reason) {
        port.fail(reason);
    }

    /** Takes the device out of service because it was removed. The caller raises the event. Any thread. */
    void remove() {
        carrier.stopWatching();
        port.remove();
    }

    /**
     * Adds a permanent entry to the neighbour table, so that no address resolution is needed. Any thread.
     *
     * @param address of a port at the station
     * @param mac of the station, 48 bits
     * @throws RdmaException EINVAL for a group address or an invalid station; ENOSPC if the table is full
     */
    public void addNeighbour(Gid address, long mac) {
        netLoop.exclusively(() -> site.ip().neighbours().add(address, mac));
    }

    /**
     * Runs the loop once; for {@link ProgressMode#MANUAL}.
     *
     * @param now ns of the port's clock
     * @return true if anything was received or sent, so that more work may be pending
     */
    public boolean progress(long now) {
        return netLoop.progress(now);
    }

    /**
     * {@return the latest time of the next call of {@link #progress} if no packet arrives before, ns of the port's
     * clock, or {@link io.rdma4j.base.Deadline#NEVER}}
     */
    public long nextDeadlineNs() {
        return netLoop.nextDeadlineNs();
    }

    /** {@return the event loop that drives the port} */
    public NetLoop loop() {
        return netLoop;
    }

    /** The parts that queue pairs use. */
    QpServices services() {
        return port.services();
    }

    /** The loop that drives the port and its devices. */
    NetLoop netLoop() {
        return netLoop;
    }

    /** The counters of packets dropped on arrival. */
    InputCounters inputCounters() {
        return port.inputCounters();
    }

    /**
     * {@return the IP stack below: routes, neighbours, counters; for the owner of the port's loop, or before the port
     * is started}
     */
    public IpStack stack() {
        return site.stack();
    }

    /** {@return the network interface of the port} */
    public NetDevice device() {
        return device;
    }

    /** {@return the counters of the transport} */
    public TransportCounters counters() {
        return port.counters();
    }

    /** {@return the number of received packets that were dropped before they reached a queue pair} */
    public long droppedPackets() {
        return port.inputCounters().dropped();
    }

    /** {@return the number of packets whose payload memory was revoked before they were received} */
    public long packetsOfLostMemory() {
        return port.inputCounters().lostMemory;
    }

    /**
     * {@return the number of packet buffers in use; for the thread that drives the port} It is 0 when no packet is
     * waiting.
     */
    public int buffersInUse() {
        return port.buffersInUse();
    }

    /** Leaves the host, or closes it if it belongs to the port. No queue pair may be left. */
    @Override
    public void close() {
        port.stopRecording();
        carrier.stopWatching();
        site.leave(port.loop());
        netLoop.exclusively(() -> {
            port.stop();
            site.close();
            port.close();
        });
        site.releaseDevice();
    }
}
