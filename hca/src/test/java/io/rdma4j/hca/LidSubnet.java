// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.hca.port.HcaPort;
import io.rdma4j.hca.port.PortOptions;
import io.rdma4j.hca.qp.LoopQp;
import io.rdma4j.hca.qp.QpRequest;
import io.rdma4j.hca.qp.QpServices;
import io.rdma4j.hca.qp.RawQps;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.testing.conformance.harness.Capability;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.Port;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Provider;
import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.values.QpType;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Two hosts with one device each, connected by LIDs in memory. */
final class LidSubnet implements ConformanceTarget {
    static final long FIRST_GUID = 0x0002_C903_0000_0001L;
    private static final PortOptions OPTIONS =
            new PortOptions(TransportOptions.DEFAULT, false, List.of(0xFFFF), false, Map.of(), Set.of(), null);

    private final NetLoop loop = new NetLoop(NanoClock.SYSTEM, ProgressMode.AUTOMATIC);
    private final Map<Integer, LidCarrier> subnet = new ConcurrentHashMap<>();
    private final Host firstHost = host(1);
    private final Host secondHost = host(2);
    private final Context first;
    private final Context second;

    LidSubnet() {
        loop.start("subnet");
        first = firstHost.open("ib1");
        second = secondHost.open("ib2");
        assign(first, 1);
        assign(second, 2);
    }

    /** What the subnet manager does. */
    private static void assign(Context context, int lid) {
        Port port = context.port(1);
        port.setInfo(port.info().toBuilder().lid(lid, 0).build());
        try {
            AsyncEvent event = context.getAsyncEvent(Duration.ZERO);
            while (event != null) {
                context.acknowledgeAsyncEvent(event);
                event = context.getAsyncEvent(Duration.ZERO);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Host host(int lid) {
        Host host = Host.create("host" + lid);
        host.register(new OneHca(lid, new LidDevice(lid)));
        return host;
    }

    private record OneHca(int lid, DeviceOps device) implements Provider {
        @Override
        public String name() {
            return "ib" + lid;
        }

        @Override
        public Collection<? extends DeviceOps> discover() {
            return List.of(device);
        }
    }

    /** A device that is opened once. */
    private final class LidDevice implements DeviceOps {
        private final LidCarrier carrier;
        private final HcaPort port;
        private final DeviceIdentity identity;

        LidDevice(int lid) {
            carrier = new LidCarrier(subnet, lid);
            identity = new DeviceIdentity("ib" + lid, FIRST_GUID + lid);
            port = new HcaPort(carrier, new GidTable(carrier.link()), loop, new NoRawQps(), OPTIONS);
        }

        @Override
        public String name() {
            return identity.name();
        }

        @Override
        public long nodeGuid() {
            return identity.nodeGuid();
        }

        @Override
        public ContextOps open(ContextEvents events) {
            port.start(identity, new PortInfoBytes());
            loop.add(carrier);
            loop.add(port.loop());
            return port.open(identity, events, this::release);
        }

        private void release() {
            loop.remove(port.loop());
            loop.remove(carrier);
            loop.exclusively(() -> {
                port.stop();
                port.close();
            });
        }
    }

    private static final class NoRawQps implements RawQps {
        @Override
        public Set<QpType> types() {
            return Set.of();
        }

        @Override
        public void check(QpSetup setup) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP, "no queue pairs of type " + setup.type() + ": the link has no frames");
        }

        @Override
        public LoopQp make(int qpn, QpRequest request, QpServices services) {
            throw new IllegalStateException("the device announces no raw queue pairs");
        }
    }

    @Override
    public Context first() {
        return first;
    }

    @Override
    public Context second() {
        return second;
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.UNATTENDED_PROGRESS, Capability.CQ_RESIZE, Capability.REREGISTRATION);
    }

    @Override
    public void close() {
        first.close();
        second.close();
        firstHost.close();
        secondHost.close();
        loop.close();
    }
}
