// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.fabric.IbEndPort;
import io.rdma4j.fabric.IbPort;
import io.rdma4j.fabric.pma.PerformanceManagementAgent;
import io.rdma4j.fabric.sma.ManagedDevice;
import io.rdma4j.fabric.sma.SubnetManagementAgent;
import io.rdma4j.hca.DeviceIdentity;
import io.rdma4j.hca.GidTable;
import io.rdma4j.hca.NonVolatileMemory;
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
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A channel adapter with one port on an {@link IbFabric}. Its port and its management agents work whether or not a
 * program has opened the device. Any thread.
 */
public final class IbDevice implements DeviceOps {
    private static final System.Logger LOG = System.getLogger(IbDevice.class.getName());
    private static final int PORT = 1;
    private static final int PKEYS = 32;
    private static final int DEFAULT_PKEY = 0xFFFF;

    private static final PortOptions OPTIONS =
            new PortOptions(TransportOptions.DEFAULT, false, List.of(DEFAULT_PKEY), false, Map.of(), Set.of(), null);

    private final IbFabric fabric;
    private final DeviceIdentity identity;
    private final IbEndPort end;
    private final NodeAgents agents;
    private final LidLink link;
    private final LidCarrier carrier;
    private final PortInfoBytes portInfo = new PortInfoBytes();

    // For the owner of the loop.
    private int[] pkeys = firstPkeys();
    private long[] guids;
    private long gidPrefix = Gid.LINK_LOCAL_PREFIX;
    private @Nullable HcaPort open;
    private @Nullable NonVolatileMemory memory;

    // Guarded by this.
    private @Nullable HcaPort port;
    private int openings;

    /**
     * For the owner of the loop.
     *
     * @param directory of the file that keeps M_Key and P_Keys; null for none
     */
    IbDevice(IbFabric fabric, String name, long guid, @Nullable Path directory) {
        this.fabric = fabric;
        this.identity = new DeviceIdentity(name, guid);
        this.agents = new NodeAgents(fabric, name, this::managementForPrograms, this::forPrograms);
        this.end = fabric.subnet().newEndPort(PORT, agents, this::stateChanged);
        long portGuid = guid + 1;
        this.guids = new long[] {portGuid};
        this.link =
                new LidLink(name, end.port(), fabric.loop(), new Gid(gidPrefix, portGuid), this::capabilitiesChanged);
        this.carrier = new LidCarrier(end, link, fabric.clock()::changed, this::badPkey, agents::send);
        agents.attach(
                SubnetManagementAgent.of(end, guid, name, new Managed()),
                new PerformanceManagementAgent(List.of(end.port())),
                end::send);
        link.refresh();
        if (directory != null) {
            restore(new NonVolatileMemory(directory, name));
        }
        link.agentCapabilities(agents.agent().capabilities());
    }

    private void restore(NonVolatileMemory from) {
        agents.agent()
                .restoreKeys(from.managementKey().orElse(0), from.protectBits(), from.leaseSeconds(), from.pkeys());
        portInfo.write(portInfo.toPortInfo().toBuilder()
                .managementKey(from.managementKey().orElse(0))
                .build());
        memory = from;
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

    /** {@return queue pairs 0 and 1 of the port; for the owner of the fabric} */
    public NodeAgents agents() {
        return agents;
    }

    @Override
    public String name() {
        return identity.name();
    }

    /** {@inheritDoc} Other processes use the same driver as for a RoCE device. */
    @Override
    public int driverId() {
        return DRIVER_RXE;
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

    // Packets and states of the port, by the owner of the loop

    private void managementForPrograms(SkBuff packet) {
        carrier.input().receiveManagement(packet);
    }

    private void forPrograms(SkBuff packet) {
        carrier.input().receive(packet);
    }

    private void badPkey(int source, int pkey, int serviceLevel, int sourceQpn, int destinationQpn) {
        agents.agent().badPkey(source, pkey, serviceLevel, sourceQpn, destinationQpn);
        fabric.clock().changed();
    }

    private void capabilitiesChanged() {
        fabric.exclusively(agents.agent()::capabilitiesChanged);
    }

    private void stateChanged(int number, PortState state) {
        link.refresh();
        carrier.input().stateChanged();
        agents.portChanged();
    }

    /** What a subnet manager writes goes to the tables and the events of the device. */
    private final class Managed implements ManagedDevice {
        @Override
        public void refresh(MemorySegment attribute) {
            link.agentCapabilities(agents.agent().capabilities());
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
            keepManagementKey(attribute);
        }

        private void keepManagementKey(MemorySegment attribute) {
            long key = PortInfoAttribute.M_KEY.get(attribute, 0);
            int protectBits = PortInfoAttribute.M_KEY_PROTECT_BITS.getInt(attribute, 0);
            int leaseSeconds = PortInfoAttribute.M_KEY_LEASE_PERIOD.getInt(attribute, 0);
            keep(to -> {
                if (to.managementKey().orElse(0) != key
                        || to.protectBits() != protectBits
                        || to.leaseSeconds() != leaseSeconds) {
                    to.writeManagementKey(key, protectBits, leaseSeconds);
                }
            });
        }

        /** Writes to the memory. One that fails is no longer used, and the port no longer announces it. */
        private void keep(Consumer<NonVolatileMemory> write) {
            NonVolatileMemory to = memory;
            if (to == null) {
                return;
            }
            try {
                write.accept(to);
            } catch (RdmaException e) {
                memory = null;
                LOG.log(
                        System.Logger.Level.WARNING,
                        "{0} does not keep its keys any longer: {1}",
                        name(),
                        e.getMessage());
                agents.agent().keysAreVolatile();
            }
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
            keep(to -> {
                if (!Arrays.equals(to.pkeys(), pkeys)) {
                    to.writePkeys(pkeys);
                }
            });
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
