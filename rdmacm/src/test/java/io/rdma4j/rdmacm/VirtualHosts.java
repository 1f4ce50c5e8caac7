// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.cm.Cm;
import io.rdma4j.cm.CmAddress;
import io.rdma4j.cm.CmDevice;
import io.rdma4j.cm.CmOptions;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.Mad;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Hosts with rdma_cm over the sans-IO communication manager, in virtual time. */
final class VirtualHosts {
    private static final int MAX_STEPS = 100_000;
    static final int MAX_READS = 16;

    /** A datagram on its way. */
    record Flight(Port from, Port to, MemorySegment datagram, CmAddress source) {}

    private final Map<Gid, Port> ports = new LinkedHashMap<>();
    final List<Flight> flights = new ArrayList<>();
    final List<CmMessage> sent = new ArrayList<>();
    /** Messages that get lost. */
    Predicate<CmMessage> isLost = _ -> false;

    private int lastInterface;
    private int qpns = 16;
    long nowNs = 5;

    /** A device with one port. */
    final class Port implements LocalDevice, CmDevice {
        private final String name;
        private final List<Gid> gids;
        private final long guid;
        private final int interfaceIndex = ++lastInterface;
        private Cm cm;
        private @Nullable RdmaCm manager;

        Port(String name, String... addresses) {
            this.name = name;
            gids = List.of(addresses).stream().map(Gid::parse).toList();
            guid = name.hashCode();
            cm = new Cm(this, CmOptions.of(guid), nowNs);
            gids.forEach(gid -> ports.put(gid, this));
        }

        /** The machine has crashed and starts again: its communication manager knows nothing. */
        void restart(long seed) {
            cm = new Cm(this, CmOptions.of(seed), nowNs);
        }

        Cm cm() {
            return cm;
        }

        /** Runs something with the lock of the host, as the driver of a device does. */
        void locked(Runnable action) {
            ReentrantLock lock = Objects.requireNonNull(manager).lock();
            lock.lock();
            try {
                action.run();
            } finally {
                lock.unlock();
            }
            manager.completeFutures();
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public int port() {
            return 1;
        }

        @Override
        public <T> T call(Function<Cm, T> action) {
            cm.advance(nowNs);
            return action.apply(cm);
        }

        @Override
        public @Nullable Context context() {
            return null;
        }

        @Override
        public List<Gid> addresses() {
            return gids;
        }

        @Override
        public int gidIndex(Gid address) {
            return gids.indexOf(address);
        }

        @Override
        public int interfaceIndex() {
            return interfaceIndex;
        }

        @Override
        public boolean hasRoute(Gid own, Gid peer) {
            return true;
        }

        @Override
        public Mtu pathMtu() {
            return Mtu.MTU_1024;
        }

        @Override
        public int maxResponderResources() {
            return MAX_READS;
        }

        @Override
        public int maxInitiatorDepth() {
            return MAX_READS;
        }

        @Override
        public void wakeup() {
            // Virtual time: the test drives the device.
        }

        @Override
        public long guid() {
            return guid;
        }

        @Override
        public int ackDelay() {
            return 15;
        }

        @Override
        public int ports() {
            return 1;
        }

        @Override
        public int gidIndex(int port, Gid gid) {
            return gids.indexOf(gid);
        }

        @Override
        public Gid gid(int port, int index) {
            return gids.get(index);
        }

        @Override
        public int pkeyIndex(int port, int pkey) {
            return pkey == 0xFFFF ? 0 : -1;
        }

        @Override
        public Mtu maxMtu(int port) {
            return Mtu.MTU_4096;
        }

        @Override
        public void send(MemorySegment datagram, CmAddress destination) {
            CmMessage message = Objects.requireNonNull(CmMessage.of(Mad.ATTRIBUTE_ID.getInt(datagram, 0)));
            GlobalRoute route =
                    Objects.requireNonNull(destination.addressVector().route());
            sent.add(message);
            Port to = ports.get(route.destination());
            if (to != null && !isLost.test(message)) {
                GlobalRoute back = new GlobalRoute(
                        gids.get(route.sourceGidIndex()), 0, to.gids.indexOf(route.destination()), 64, 0);
                flights.add(new Flight(
                        this,
                        to,
                        MemorySegment.ofArray(datagram.toArray(ValueLayout.JAVA_BYTE)),
                        new CmAddress(AddressVector.global(1, back), 0)));
            }
        }
    }

    /** A host with some devices. */
    final class VirtualHost implements LocalDevices {
        final List<LocalDevice> devices = new ArrayList<>();
        final RdmaCm cm;
        final EventChannel channel;
        /** Tasks that the test runs itself. */
        final List<Runnable> tasks = new ArrayList<>();

        boolean delaysTasks;

        VirtualHost(RdmaCmOptions options, Port... own) {
            devices.addAll(List.of(own));
            cm = new RdmaCm(this, options);
            channel = cm.createChannel();
            devices.forEach(device -> ((Port) device).manager = cm);
        }

        @Override
        public List<LocalDevice> all() {
            return devices;
        }

        @Override
        public @Nullable LocalDevice at(Gid address, int scope) {
            return devices.stream()
                    .filter(device -> device.gidIndex(address) >= 0)
                    .filter(device -> scope == 0 || device.interfaceIndex() == scope)
                    .findFirst()
                    .orElse(null);
        }

        @Override
        public boolean isLocal(Gid address) {
            return at(address, 0) != null || address.equals(Gid.parse("192.0.2.1"));
        }

        @Override
        public ResolvedRoute route(@Nullable Gid source, Gid destination, int scope) {
            for (LocalDevice device : devices) {
                for (Gid own : ((Port) device).gids) {
                    if (own.isIpv4() == destination.isIpv4()
                            && (source == null || source.equals(own))
                            && (scope == 0 || scope == device.interfaceIndex())) {
                        return new ResolvedRoute(device, own, 64);
                    }
                }
            }
            throw new RdmaException(Errno.ENODEV, "no device for " + destination);
        }

        @Override
        public void runTask(Runnable task) {
            if (delaysTasks) {
                tasks.add(task);
            } else {
                task.run();
            }
        }

        RdmaId id(PortSpace space) {
            return cm.createId(channel, space);
        }

        RdmaId listener(PortSpace space, InetSocketAddress address) {
            RdmaId id = id(space);
            id.bindAddress(address);
            id.listen(0);
            return id;
        }

        /** An id whose path to an address is resolved. */
        RdmaId resolved(PortSpace space, InetSocketAddress destination) {
            RdmaId id = id(space);
            id.resolveAddress(null, destination, 2000);
            id.resolveRoute(2000);
            expect(ConnectionEventType.ADDR_RESOLVED);
            expect(ConnectionEventType.ROUTE_RESOLVED);
            return id;
        }

        /** The next event, which must have this type; acknowledged. */
        ConnectionEvent expect(ConnectionEventType type) {
            settle();
            ConnectionEvent event = channel.poll();
            if (event == null || event.type() != type) {
                throw new AssertionError("expected " + type + ", got " + event);
            }
            event.acknowledge();
            return event;
        }

        /** A device appears. */
        void add(Port device) {
            device.manager = cm;
            devices.add(device);
            cm.devicesAdded();
        }

        void expectNothing() {
            settle();
            ConnectionEvent event = channel.poll();
            if (event != null) {
                throw new AssertionError("unexpected: " + event);
            }
        }
    }

    /** A queue pair that records its states. */
    final class TestQp implements ManagedQp {
        private final int qpn = qpns++;
        private final QpType type;
        final List<QpAttributes> changes = new ArrayList<>();
        final List<Gid> groups = new ArrayList<>();
        boolean isClosed;
        boolean isBroken;

        TestQp(QpType type) {
            this.type = type;
        }

        List<QpState> states() {
            return changes.stream().map(QpAttributes::state).toList();
        }

        @Override
        public int qpn() {
            return qpn;
        }

        @Override
        public QpType type() {
            return type;
        }

        @Override
        public boolean hasSrq() {
            return false;
        }

        @Override
        public void modify(QpAttributes attributes) {
            if (isBroken) {
                throw new RdmaException(Errno.EIO, "broken");
            }
            changes.add(attributes);
        }

        @Override
        public void attachMulticast(Gid group, int lid) {
            groups.add(group);
        }

        @Override
        public void detachMulticast(Gid group, int lid) {
            groups.remove(group);
        }

        @Override
        public void close() {
            isClosed = true;
        }

        @Override
        public @Nullable QueuePair verbs() {
            return null;
        }
    }

    VirtualHost host(Port... own) {
        return new VirtualHost(RdmaCmOptions.of(own.length), own);
    }

    TestQp qp(RdmaId id) {
        TestQp qp = new TestQp(id.portSpace().qpType());
        id.attach(qp);
        return qp;
    }

    /** Delivers all datagrams. */
    void settle() {
        for (int i = 0; !flights.isEmpty(); i++) {
            if (i > MAX_STEPS) {
                throw new AssertionError("the network does not come to rest");
            }
            deliver(flights.removeFirst());
        }
    }

    /** Delivers a datagram. */
    void deliver(Flight flight) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(Mad.BYTES, Long.BYTES).copyFrom(flight.datagram());
            flight.to().locked(() -> flight.to().cm.received(memory, flight.source()));
        }
    }

    /** Runs until no timer is left. */
    void runToTheEnd() {
        settle();
        for (long next = nextDeadline(); next != Deadline.NEVER; next = nextDeadline()) {
            nowNs = next;
            ports.values().stream().distinct().forEach(port -> port.locked(() -> port.cm.advance(nowNs)));
            settle();
        }
    }

    /** Goes on to the next timer. */
    void nextTimer() {
        advance();
        settle();
    }

    /** Goes on to the next timer, and delivers nothing. */
    void advance() {
        nowNs = nextDeadline();
        ports.values().stream().distinct().forEach(port -> port.locked(() -> port.cm.advance(nowNs)));
    }

    long nextDeadline() {
        return ports.values().stream()
                .distinct()
                .mapToLong(port -> port.cm.nextDeadline())
                .reduce(Deadline.NEVER, Deadline::earlier);
    }

    static InetSocketAddress address(String ip, int port) {
        return new InetSocketAddress(Gid.parse(ip).toInetAddress(), port);
    }
}
