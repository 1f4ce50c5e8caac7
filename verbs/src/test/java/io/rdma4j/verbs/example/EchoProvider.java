// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.example;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.device.GidType;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.CqEvents;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.CqSetup;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.MrOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.spi.Provider;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.spi.QpResources;
import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.values.MrInitAttributes;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A device whose queue pairs send to themselves: each message is received by its sender. */
public final class EchoProvider implements Provider {
    private final List<EchoDevice> devices = List.of(new EchoDevice());

    @Override
    public String name() {
        return "echo";
    }

    /** The same object each time, by which the core identifies the device. */
    @Override
    public List<EchoDevice> discover() {
        return devices;
    }

    static final class EchoDevice implements DeviceOps {
        final AtomicInteger lastNumber = new AtomicInteger();

        @Override
        public String name() {
            return "echo0";
        }

        @Override
        public long nodeGuid() {
            return 0x0200_00ff_fe00_0ec0L;
        }

        @Override
        public ContextOps open(ContextEvents events) {
            return new EchoContext(this);
        }
    }

    record EchoContext(EchoDevice device) implements ContextOps {
        /** A limit that is not set is 0: the core then rejects the creation of such objects. */
        @Override
        public DeviceAttributes queryDevice() {
            return DeviceAttributes.builder()
                    .nodeGuid(device.nodeGuid())
                    .limit(DeviceLimit.MAX_PD, 16)
                    .limit(DeviceLimit.MAX_MR, 64)
                    .limit(DeviceLimit.MAX_MR_SIZE, 1 << 30)
                    .limit(DeviceLimit.MAX_CQ, 16)
                    .limit(DeviceLimit.MAX_CQE, 1023)
                    .limit(DeviceLimit.MAX_QP, 16)
                    .limit(DeviceLimit.MAX_QP_WR, 255)
                    .limit(DeviceLimit.MAX_SGE, 1)
                    .build();
        }

        @Override
        public PortAttributes queryPort(int port) {
            return PortAttributes.ethernet(true, Mtu.MTU_4096, Mtu.MTU_4096, 1, 1, 1 << 20);
        }

        @Override
        public GidEntry queryGid(int port, int index) {
            return new GidEntry(Gid.ofIpv4(0x7F00_0001), index, port, GidType.ROCE_V2, "");
        }

        @Override
        public int queryPkey(int port, int index) {
            return 0xFFFF;
        }

        @Override
        public PdOps allocatePd() {
            return new EchoPd(device);
        }

        @Override
        public CqOps createCq(CqSetup attributes, CqEvents events) {
            return new EchoCq(attributes, events);
        }

        /** The posting thread does all the work, so no thread must be woken. */
        @Override
        public void beforeBlocking() {}

        @Override
        public void close() {}
    }

    static final class EchoPd implements PdOps {
        private final EchoDevice device;
        private final Map<Integer, MrInitAttributes> regions = new ConcurrentHashMap<>();

        EchoPd(EchoDevice device) {
            this.device = device;
        }

        @Override
        public MrOps registerMemory(MrInitAttributes attributes) {
            int key = device.lastNumber.incrementAndGet();
            regions.put(key, attributes);
            return new EchoMr(this, key, key);
        }

        record EchoMr(EchoPd pd, int lkey, int rkey) implements MrOps {
            @Override
            public void close() {
                pd.regions.remove(lkey);
            }
        }

        /** The memory of a scatter/gather element; null if no region contains it. Work requests must not be trusted. */
        MemorySegment find(int lkey, long address, long bytes) {
            MrInitAttributes region = regions.get(lkey);
            if (region == null) {
                return null;
            }
            long offset = address - region.iova();
            boolean inside = offset >= 0 && bytes <= region.lengthBytes() && offset <= region.lengthBytes() - bytes;
            return inside ? region.pieces().getFirst().asSlice(offset, bytes) : null;
        }

        @Override
        public QpOps createQp(QpSetup attributes, QpResources resources, QpEvents events) {
            return new EchoQp(device.lastNumber.incrementAndGet(), this, attributes, resources);
        }

        @Override
        public void close() {}
    }
}
