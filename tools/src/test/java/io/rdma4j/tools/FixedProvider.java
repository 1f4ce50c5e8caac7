// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.device.GidType;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.CqEvents;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.CqSetup;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.spi.Provider;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Devices with attributes that a test chose, for tests of their output. They support only queries. */
final class FixedProvider implements Provider {
    private final List<FixedDevice> devices;

    private FixedProvider(List<FixedDevice> devices) {
        this.devices = devices;
    }

    static Host host(FixedDevice... devices) {
        Host host = Host.create("fixed");
        host.register(new FixedProvider(List.of(devices)));
        return host;
    }

    @Override
    public String name() {
        return "fixed";
    }

    @Override
    public Collection<? extends DeviceOps> discover() {
        return devices;
    }

    /**
     * A device.
     *
     * @param port attributes of each of its ports
     * @param gids the first slots of each port's GID table
     * @param opens whether it can be opened
     */
    record FixedDevice(
            String name, long nodeGuid, DeviceAttributes attributes, PortAttributes port, List<Gid> gids, boolean opens)
            implements DeviceOps {
        @Override
        public ContextOps open(ContextEvents events) {
            if (!opens) {
                throw new RdmaException(Errno.EADDRINUSE, "port 4791 is taken");
            }
            return new FixedContext(this);
        }
    }

    private record FixedContext(FixedDevice device) implements ContextOps {
        @Override
        public DeviceAttributes queryDevice() {
            return device.attributes();
        }

        @Override
        public PortAttributes queryPort(int port) {
            return device.port();
        }

        @Override
        public @Nullable GidEntry queryGid(int port, int index) {
            if (index >= device.gids().size()) {
                return null;
            }
            GidType type = index % 2 == 0 ? GidType.ROCE_V1 : GidType.ROCE_V2;
            return new GidEntry(device.gids().get(index), index, port, type, "eth0");
        }

        @Override
        public int queryPkey(int port, int index) {
            return 0xFFFF;
        }

        @Override
        public PdOps allocatePd() {
            throw new RdmaException(Errno.EOPNOTSUPP, "this device has no protection domains");
        }

        @Override
        public CqOps createCq(CqSetup attributes, CqEvents events) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void beforeBlocking() {}

        @Override
        public void close() {}
    }
}
