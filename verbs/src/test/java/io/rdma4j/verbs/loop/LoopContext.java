package io.rdma4j.verbs.loop;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.AtomicCapability;
import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.DeviceCapability;
import io.rdma4j.verbs.DeviceLimit;
import io.rdma4j.verbs.GidEntry;
import io.rdma4j.verbs.GidType;
import io.rdma4j.verbs.LinkLayer;
import io.rdma4j.verbs.LinkSpeed;
import io.rdma4j.verbs.LinkWidth;
import io.rdma4j.verbs.PhysicalState;
import io.rdma4j.verbs.PortAttributes;
import io.rdma4j.verbs.PortState;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.CqEvents;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.PdOps;
import java.util.Set;

/** Port 1 is Ethernet with GIDs in slots 0 and 1 of 4, port 2 is InfiniBand; limits are small enough to be hit. */
final class LoopContext implements ContextOps {
    private static final DeviceAttributes ATTRIBUTES = DeviceAttributes.builder()
            .firmwareVersion("1.0")
            .nodeGuid(0x0200_00ff_fe00_0001L)
            .systemImageGuid(0x0200_00ff_fe00_0002L)
            .pageSizeCapability(0xFFFF_F000L)
            .vendor(0xFFFFFF, 1, 2)
            .capabilities(DeviceCapability.RC_RNR_NAK_GEN, DeviceCapability.CURR_QP_STATE_MOD)
            .atomics(AtomicCapability.HCA, AtomicCapability.NONE)
            .localCaAckDelay(15)
            .physicalPortCount(2)
            .limit(DeviceLimit.MAX_MR_SIZE, 1 << 20)
            .limit(DeviceLimit.MAX_QP, 4)
            .limit(DeviceLimit.MAX_QP_WR, 64)
            .limit(DeviceLimit.MAX_SGE, 3)
            .limit(DeviceLimit.MAX_CQ, 5)
            .limit(DeviceLimit.MAX_CQE, 1023)
            .limit(DeviceLimit.MAX_MR, 6)
            .limit(DeviceLimit.MAX_PD, 3)
            .limit(DeviceLimit.MAX_QP_RD_ATOM, 16)
            .limit(DeviceLimit.MAX_QP_INIT_RD_ATOM, 8)
            .limit(DeviceLimit.MAX_PKEYS, 2)
            .build();

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

    LoopContext(LoopDevice device) {
        this.device = device;
    }

    @Override
    public int completionVectors() {
        return 2;
    }

    @Override
    public DeviceAttributes queryDevice() {
        return ATTRIBUTES;
    }

    @Override
    public PortAttributes queryPort(int port) {
        return port == 1 ? ETHERNET : INFINIBAND;
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
        return new LoopPd(device);
    }

    @Override
    public CqOps createCq(int entries, int vector, CqEvents events) {
        return new LoopCq(entries, events, device);
    }

    @Override
    public void beforeBlocking() {
        device.beforeBlocking();
    }

    @Override
    public void close() {}
}
