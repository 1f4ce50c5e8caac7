// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.fabric.IbEndPort;
import io.rdma4j.fabric.IbPort;
import io.rdma4j.fabric.pma.PerformanceManagementAgent;
import io.rdma4j.fabric.pma.PerformanceManagementInterface;
import io.rdma4j.fabric.sma.ManagedDevice;
import io.rdma4j.fabric.sma.SubnetManagementAgent;
import io.rdma4j.fabric.sma.SubnetManagementInterface;
import io.rdma4j.hca.DeviceIdentity;
import io.rdma4j.hca.GidTable;
import io.rdma4j.hca.PortInfoBytes;
import io.rdma4j.hca.port.HcaPort;
import io.rdma4j.hca.port.PortOptions;
import io.rdma4j.hca.qp.LoopQp;
import io.rdma4j.hca.qp.QpRequest;
import io.rdma4j.hca.qp.QpServices;
import io.rdma4j.hca.qp.RawQps;
import io.rdma4j.ib.carrier.LidCarrier;
import io.rdma4j.ib.carrier.LidLink;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.device.PortInfo;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.ib.LocalPacket;
import io.rdma4j.wire.ib.Lrh;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A channel adapter with one port on an {@link IbFabric}. Its port and its management agents work whether or not a
 * program has opened the device. Any thread.
 */
public final class IbDevice implements DeviceOps {
    private static final int PORT = 1;
    private static final int PKEYS = 32;
    private static final int DEFAULT_PKEY = 0xFFFF;

    private static final PortOptions OPTIONS =
            new PortOptions(TransportOptions.DEFAULT, false, List.of(DEFAULT_PKEY), false, Map.of(), Set.of(), null);

    private final IbFabric fabric;
    private final DeviceIdentity identity;
    private final IbEndPort end;
    private final SubnetManagementInterface management;
    private final SubnetManagementAgent agent;
    private final PerformanceManagementInterface performance;
    private final LidLink link;
    private final LidCarrier carrier;
    private final PortInfoBytes portInfo = new PortInfoBytes();

    // For the owner of the loop.
    private int[] pkeys = firstPkeys();
    private long[] guids;
    private long gidPrefix = Gid.LINK_LOCAL_PREFIX;
    private @Nullable HcaPort open;
    private @Nullable IbManager manager;

    // Guarded by this.
    private @Nullable HcaPort port;
    private int openings;

    /** For the owner of the loop. */
    IbDevice(IbFabric fabric, String name, long guid) {
        this.fabric = fabric;
        this.identity = new DeviceIdentity(name, guid);
        this.management = new SubnetManagementInterface(fabric.subnet(), fabric.datagrams(), this::manage);
        this.end = fabric.subnet().newEndPort(PORT, this::receive, this::stateChanged);
        long portGuid = guid + 1;
        this.guids = new long[] {portGuid};
        this.link =
                new LidLink(name, end.port(), fabric.loop(), new Gid(gidPrefix, portGuid), this::capabilitiesChanged);
        this.carrier = new LidCarrier(end, link, fabric.clock()::changed, this::badPkey, this::sendManagement);
        this.performance = new PerformanceManagementInterface(
                new PerformanceManagementAgent(List.of(end.port())),
                this::sendManagement,
                (packet, _) -> carrier.input().receive(packet));
        this.agent = SubnetManagementAgent.of(end, guid, name, new Managed());
        management.attach(agent);
        link.refresh();
    }

    /** {@return the port with the cable; for the owner of the fabric} */
    public IbPort port() {
        return end.port();
    }

    /** {@return the first LID of the port, 0 before a subnet manager has assigned it; for the owner of the fabric} */
    public int lid() {
        return end.lid();
    }

    /**
     * {@return true for a LID of the port; for the owner of the fabric}
     *
     * @param lid 16 bits
     */
    public boolean ownsLid(int lid) {
        return end.owns(lid);
    }

    /** {@return queue pair 0 of the port; for the owner of the fabric} */
    public SubnetManagementInterface management() {
        return management;
    }

    @Override
    public String name() {
        return identity.name();
    }

    @Override
    public long nodeGuid() {
        return identity.nodeGuid();
    }

    /** The default partition, as the agent of a new port has it. */
    private static int[] firstPkeys() {
        int[] table = new int[PKEYS];
        table[0] = DEFAULT_PKEY;
        return table;
    }

    IbFabric fabric() {
        return fabric;
    }

    /** Sets the subnet manager at this port. For the owner of the loop. */
    void manager(@Nullable IbManager here) {
        manager = here;
    }

    // Packets and states of the port, by the owner of the loop

    /** A response or a trap for the subnet manager at this port: the one of this JVM, or a program with QP 0. */
    private void manage(SkBuff packet, long mad, int inputPort) {
        IbManager here = manager;
        if (here != null) {
            here.receive(packet.memory(), mad);
            packet.free();
        } else {
            carrier.input().receiveManagement(packet);
        }
    }

    private void receive(SkBuff packet, int inputPort) {
        if (LocalPacket.isToQp0(packet.memory(), packet.data())) {
            management.receive(packet, inputPort);
        } else {
            performance.receive(packet, inputPort);
        }
    }

    /** Sends a datagram of queue pair 0 or 1; one for this port itself does not leave it. */
    private void sendManagement(SkBuff packet) {
        if (LocalPacket.isToQp0(packet.memory(), packet.data())) {
            management.send(packet);
        } else if (end.owns(Lrh.destinationLid(packet.memory(), packet.data()))) {
            performance.receive(packet, 0);
        } else {
            end.send(packet);
        }
        fabric.clock().changed();
    }

    private void badPkey(int source, int pkey, int serviceLevel, int sourceQpn, int destinationQpn) {
        agent.badPkey(source, pkey, serviceLevel, sourceQpn, destinationQpn);
        fabric.clock().changed();
    }

    private void capabilitiesChanged() {
        fabric.exclusively(agent::capabilitiesChanged);
    }

    private void stateChanged(int number, PortState state) {
        link.refresh();
        carrier.input().stateChanged();
    }

    /** What a subnet manager writes goes to the tables and the events of the device. */
    private final class Managed implements ManagedDevice {
        @Override
        public void refresh(MemorySegment attribute) {
            HcaPort opened = open;
            if (opened != null) {
                opened.management().writeTo(attribute);
            }
        }

        @Override
        public void portInfoWritten(MemorySegment attribute) {
            link.refresh();
            gidPrefix = PortInfoAttribute.GID_PREFIX.get(attribute, 0);
            HcaPort opened = open;
            PortInfo before =
                    opened == null ? portInfo.toPortInfo() : opened.management().info();
            PortInfo written = before.toBuilder()
                    .managementKey(PortInfoAttribute.M_KEY.get(attribute, 0))
                    .gidPrefix(gidPrefix)
                    .lid(PortInfoAttribute.LID.getInt(attribute, 0), PortInfoAttribute.LMC.getInt(attribute, 0))
                    .masterSm(
                            PortInfoAttribute.MASTER_SM_LID.getInt(attribute, 0),
                            PortInfoAttribute.MASTER_SM_SL.getInt(attribute, 0))
                    .subnetTimeout(PortInfoAttribute.SUBNET_TIMEOUT.getInt(attribute, 0))
                    .initTypeReply(PortInfoAttribute.INIT_TYPE_REPLY.getInt(attribute, 0))
                    .build();
            write(opened, written);
            setGids();
        }

        private void write(@Nullable HcaPort opened, PortInfo written) {
            if (opened == null) {
                portInfo.write(written);
            } else {
                opened.management().set(written);
            }
        }

        @Override
        public void reregister() {
            HcaPort opened = open;
            if (opened != null) {
                PortInfo now = opened.management().info();
                opened.management().set(now.toBuilder().clientReregister(true).build());
            }
        }

        @Override
        public void pkeysWritten(int[] table) {
            pkeys = table.clone();
            HcaPort opened = open;
            if (opened != null) {
                opened.setPkeys(pkeys);
            }
        }

        @Override
        public void guidsWritten(long[] table) {
            guids = table.clone();
            setGids();
        }
    }

    /** The GID table (IBA 4.1.1): the subnet prefix with each GUID of the port. */
    private void setGids() {
        List<Gid> table = new ArrayList<>();
        for (long guid : guids) {
            if (guid != 0) {
                table.add(new Gid(gidPrefix, guid));
            }
        }
        if (!table.equals(link.addresses())) {
            link.gids(List.copyOf(table));
            carrier.input().gidsChanged();
        }
    }

    /** Takes the device out of service. For the owner of the loop. */
    void fail(Throwable error) {
        carrier.input().fail(error);
    }

    // Opening

    @Override
    public synchronized ContextOps open(ContextEvents events) {
        HcaPort opened = port;
        if (opened == null) {
            opened = new HcaPort(carrier, new GidTable(link), fabric.loop(), new NoRawQps(), OPTIONS);
            start(opened);
            port = opened;
        }
        openings++;
        return opened.open(identity, events, this::release);
    }

    private void start(HcaPort opened) {
        fabric.exclusively(() -> {
            opened.start(identity, portInfo);
            opened.setPkeys(pkeys);
            open = opened;
        });
        fabric.loop().add(opened.loop());
        opened.startRecording();
    }

    private synchronized void release() {
        openings--;
        HcaPort opened = port;
        if (openings == 0 && opened != null) {
            port = null;
            opened.stopRecording();
            fabric.loop().remove(opened.loop());
            fabric.exclusively(() -> {
                open = null;
                opened.stop();
                opened.close();
            });
        }
    }

    /** Frees the buffers, when the fabric has ended. */
    void free() {
        carrier.close();
    }

    private static final class NoRawQps implements RawQps {
        @Override
        public Set<QpType> types() {
            return Set.of();
        }

        @Override
        public void check(QpSetup setup) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP, "no queue pairs of type " + setup.type() + " on an InfiniBand port");
        }

        @Override
        public LoopQp make(int qpn, QpRequest request, QpServices services) {
            throw new IllegalStateException("the device announces no raw queue pairs");
        }
    }
}
