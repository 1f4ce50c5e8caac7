// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.loop;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.device.AtomicCapability;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.device.GidType;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.device.LinkSpeed;
import io.rdma4j.verbs.device.LinkWidth;
import io.rdma4j.verbs.device.PhysicalState;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.device.PortModification;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.CqEvents;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.CqSetup;
import io.rdma4j.verbs.spi.DmOps;
import io.rdma4j.verbs.spi.DmaOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.spi.RwqTableOps;
import io.rdma4j.verbs.spi.WqOps;
import io.rdma4j.verbs.spi.XrcdOps;
import io.rdma4j.verbs.values.DmaAttribute;
import io.rdma4j.verbs.values.DmaDirection;
import io.rdma4j.verbs.values.XrcdInitAttributes;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Port 1 is Ethernet with GIDs in slots 0 and 1 of 4, port 2 is InfiniBand. The limits are small, so that tests can
 * reach them.
 */
final class LoopContext implements ContextOps {
    private static final Map<DeviceLimit, Long> LIMITS = new EnumMap<>(Map.ofEntries(
            Map.entry(DeviceLimit.MAX_MR_SIZE, 1L << 20),
            Map.entry(DeviceLimit.MAX_QP, 4L),
            Map.entry(DeviceLimit.MAX_RAW_IPV6_QP, 1L),
            Map.entry(DeviceLimit.MAX_RAW_ETHY_QP, 2L),
            Map.entry(DeviceLimit.MAX_QP_WR, 64L),
            Map.entry(DeviceLimit.MAX_SGE, 3L),
            Map.entry(DeviceLimit.MAX_CQ, 5L),
            Map.entry(DeviceLimit.MAX_CQE, 1023L),
            Map.entry(DeviceLimit.MAX_MR, 6L),
            Map.entry(DeviceLimit.MAX_PD, 3L),
            Map.entry(DeviceLimit.MAX_QP_RD_ATOM, 16L),
            Map.entry(DeviceLimit.MAX_QP_INIT_RD_ATOM, 8L),
            Map.entry(DeviceLimit.MAX_PKEYS, 2L),
            Map.entry(DeviceLimit.MAX_AH, 3L),
            Map.entry(DeviceLimit.MAX_MW, 3L),
            Map.entry(DeviceLimit.MAX_FMR, 5L),
            Map.entry(DeviceLimit.MAX_MAP_PER_FMR, 4L),
            Map.entry(DeviceLimit.MAX_SRQ, 2L),
            Map.entry(DeviceLimit.MAX_SRQ_WR, 100L),
            Map.entry(DeviceLimit.MAX_SRQ_SGE, 2L),
            Map.entry(DeviceLimit.MAX_DM_SIZE, 1L << 16),
            Map.entry(DeviceLimit.MAX_FAST_REG_PAGE_LIST_LEN, 8L),
            Map.entry(DeviceLimit.MAX_MCAST_GRP, 2L),
            Map.entry(DeviceLimit.MAX_MCAST_QP_ATTACH, 2L),
            Map.entry(DeviceLimit.MAX_TOTAL_MCAST_QP_ATTACH, 3L),
            Map.entry(DeviceLimit.MAX_WQ_TYPE_RQ, 5L),
            Map.entry(DeviceLimit.MAX_RWQ_INDIRECTION_TABLES, 2L),
            Map.entry(DeviceLimit.MAX_RWQ_INDIRECTION_TABLE_SIZE, 4L)));

    static final DeviceAttributes ATTRIBUTES = attributes(
            EnumSet.of(
                    DeviceCapability.RESIZE_MAX_WR,
                    DeviceCapability.RC_RNR_NAK_GEN,
                    DeviceCapability.CURR_QP_STATE_MOD,
                    DeviceCapability.AUTO_PATH_MIG,
                    DeviceCapability.MEM_WINDOW,
                    DeviceCapability.MEM_WINDOW_TYPE_2B,
                    DeviceCapability.MEM_MGT_EXTENSIONS,
                    DeviceCapability.XRC,
                    DeviceCapability.SRQ_RESIZE,
                    DeviceCapability.UD_TSO,
                    DeviceCapability.BLOCK_MULTICAST_LOOPBACK),
            LIMITS,
            AtomicCapability.NONE);

    private static final PortAttributes ETHERNET =
            PortAttributes.ethernet(true, Mtu.MTU_4096, Mtu.MTU_1024, 4, 2, 1L << 23);

    private static final PortAttributes INFINIBAND = new PortAttributes(
            PortState.ARMED,
            Mtu.MTU_4096,
            Mtu.MTU_4096,
            1,
            Set.of(),
            1L << 30,
            0,
            0,
            1,
            7,
            1,
            0,
            4,
            0,
            18,
            0,
            LinkWidth.X4,
            LinkSpeed.QDR,
            PhysicalState.LINK_UP,
            LinkLayer.INFINIBAND);

    private final LoopDevice device;

    static DeviceAttributes attributes(
            Set<DeviceCapability> capabilities, Map<DeviceLimit, Long> limits, AtomicCapability masked) {
        DeviceAttributes.Builder builder = DeviceAttributes.builder()
                .firmwareVersion("1.0")
                .nodeGuid(0x0200_00ff_fe00_0001L)
                .systemImageGuid(0x0200_00ff_fe00_0002L)
                .pageSizeCapability(0xFFFF_F000L)
                .vendor(0xFFFFFF, 1, 2)
                .capabilities(capabilities.toArray(DeviceCapability[]::new))
                .atomics(AtomicCapability.HCA, masked)
                .localCaAckDelay(15)
                .physicalPortCount(2);
        limits.forEach(builder::limit);
        return builder.build();
    }

    LoopContext(LoopDevice device) {
        this.device = device;
    }

    @Override
    public int completionVectors() {
        return 2;
    }

    @Override
    public DeviceAttributes queryDevice() {
        return device.attributes();
    }

    @Override
    public PortAttributes queryPort(int port) {
        return port == 1 ? ETHERNET : INFINIBAND;
    }

    @Override
    public void modifyPort(int port, PortModification change) {
        device.modified(port, change);
    }

    @Override
    public GidEntry queryGid(int port, int index) {
        if (index > 1) {
            return null;
        }
        Gid gid = index == 0 ? new Gid(Gid.LINK_LOCAL_PREFIX, port) : Gid.ofIpv4(0x0A00_0001);
        return new GidEntry(gid, index, port, port == 1 ? GidType.ROCE_V2 : GidType.IB, "lo");
    }

    @Override
    public int queryPkey(int port, int index) {
        return index == 0 ? 0xFFFF : 0x8001;
    }

    @Override
    public PdOps allocatePd() {
        device.asked();
        return new LoopPd(device);
    }

    @Override
    public CqOps createCq(CqSetup attributes, CqEvents events) {
        return new LoopCq(attributes, events, device);
    }

    @Override
    public XrcdOps openXrcDomain(XrcdInitAttributes attributes) {
        return new LoopXrcd();
    }

    @Override
    public boolean understandsOptionalAccess() {
        return device.understandsOptionalAccess();
    }

    @Override
    public DmaOps mapDma(MemorySegment segment, DmaDirection direction, Set<DmaAttribute> attributes) {
        device.asked();
        return new LoopDma(device.nextDmaAddress() + segment.address() % 4096);
    }

    @Override
    public RwqTableOps createRwqIndirectionTable(List<WqOps> queues) {
        device.asked();
        return new LoopRwqTable(queues);
    }

    @Override
    public DmOps allocateDeviceMemory(long length, long alignment) {
        return new LoopDm(length, alignment);
    }

    @Override
    public void beforeBlocking() {
        device.beforeBlocking();
    }

    @Override
    public void close() {}
}
