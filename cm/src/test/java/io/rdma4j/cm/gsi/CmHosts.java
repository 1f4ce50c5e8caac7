// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm.gsi;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Guid;
import io.rdma4j.cm.CmEvent;
import io.rdma4j.cm.CmId;
import io.rdma4j.cm.CmOptions;
import io.rdma4j.cm.CmPath;
import io.rdma4j.links.VethDevice;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.mad.MadAddress;
import io.rdma4j.mad.MadAgent;
import io.rdma4j.mad.MadAgentSetup;
import io.rdma4j.mad.MadCounter;
import io.rdma4j.mad.MadSend;
import io.rdma4j.mad.MadSnoopEvent;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.net.NetDevice;
import io.rdma4j.rxe.DeviceProfile;
import io.rdma4j.rxe.RxeDevice;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxePort;
import io.rdma4j.testing.fixtures.TestTime;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Provider;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.Mad;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/** Two hosts with the real RoCE device on a link, each with a communication manager, in virtual or in real time. */
final class CmHosts implements AutoCloseable {
    private static final int MTU = 4500;

    /** Shorter than any timeout of the communication manager. */
    static final long SHORT_NS = 1_000_000;

    private final TestTime time;
    final Side client;
    final Side server;

    private record OneDevice(RxeDevice device) implements Provider {
        @Override
        public String name() {
            return "one";
        }

        @Override
        public Collection<? extends DeviceOps> discover() {
            return List.of(device);
        }
    }

    /** A message of the peer, and when it came. */
    record Arrived(long timeNs, MemorySegment mad) {
        CmMessage kind() {
            return Objects.requireNonNull(CmMessage.of(Mad.ATTRIBUTE_ID.getInt(mad, 0)));
        }
    }

    /** What a program got. */
    record Got(CmId id, CmEvent event) {}

    /** One host. */
    final class Side {
        final NetDevice link;
        private final Host host = Host.create("test");
        private final RxeDevice rxe;
        final Device device;
        /** Keeps the device open. */
        final Context context;

        /** Another use of queue pair 1, for its counters. */
        private final GeneralServices general;

        CmServices services;
        final List<Got> events = new CopyOnWriteArrayList<>();
        /** The messages that arrived, in their order. */
        final List<Arrived> arrived = new CopyOnWriteArrayList<>();

        private final MadAgent forger;

        Side(NetDevice link, long seed) {
            this.link = link;
            link.up();
            RxeOptions options = new RxeOptions(
                    time,
                    time.isVirtual() ? ProgressMode.MANUAL : ProgressMode.AUTOMATIC,
                    TransportOptions.DEFAULT,
                    RxeOptions.ROCE_V2_PORT,
                    true,
                    List.of(0xFFFF),
                    true,
                    false,
                    DeviceProfile.FULL,
                    false);
            rxe = new RxeDevice("rxe0", Guid.ofMac(link.macAddress()), () -> new RxePort(link, options));
            host.register(new OneDevice(rxe));
            device = host.device("rxe0");
            context = device.open();
            general = GeneralServices.open(context, 1, !time.isVirtual());
            services = open(seed);
            general.mad().snoop(Set.of(MadSnoopEvent.RECEIVED), (_, _, mad) -> arrived.add(new Arrived(nowNs(), mad)));
            forger = general.register(MadAgentSetup.DEFAULT.onSent((_, _) -> {}));
        }

        /** Sends a message that the communication manager knows nothing of. */
        void forge(Side to, MemorySegment mad) {
            AddressVector vector = AddressVector.roce(1, to.context.queryGid(1, 0), 0);
            forger.send(MadSend.of(MadAddress.gsi(vector, 0), mad));
            CmHosts.this.pass(SHORT_NS);
        }

        /** A copy of the last message of a kind that arrived. */
        MemorySegment last(CmMessage kind) {
            Arrived last = all(kind).getLast();
            return MemorySegment.ofArray(last.mad().toArray(ValueLayout.JAVA_BYTE));
        }

        List<Arrived> all(CmMessage kind) {
            return arrived.stream().filter(each -> each.kind() == kind).toList();
        }

        /** The kinds of the messages that arrived since the last call. */
        List<CmMessage> news() {
            List<CmMessage> kinds = arrived.stream().map(Arrived::kind).toList();
            arrived.clear();
            return kinds;
        }

        CmServices open(long seed) {
            return time.isVirtual()
                    ? CmServices.openDrivenByCaller(device, CmOptions.of(seed), time)
                    : CmServices.open(device, CmOptions.of(seed));
        }

        RxePort port() {
            return Objects.requireNonNull(rxe.port());
        }

        CmId id() {
            return services.call(cm -> cm.createId((id, event) -> events.add(new Got(id, event))));
        }

        CmPath pathTo(Side other, int gidIndex) {
            AddressVector vector = AddressVector.roce(1, other.context.queryGid(1, gidIndex), gidIndex);
            return CmPath.roce(
                    vector, context.queryGid(1, gidIndex), context.queryPort(1).activeMtu());
        }

        <E extends CmEvent> E await(Class<E> type) {
            CmHosts.this.await(
                    type.getSimpleName(), () -> events.stream().anyMatch(got -> type.isInstance(got.event())));
            return events.stream()
                    .map(Got::event)
                    .filter(type::isInstance)
                    .map(type::cast)
                    .findFirst()
                    .orElseThrow();
        }

        CmId idOf(Class<? extends CmEvent> type) {
            await(type);
            return events.stream()
                    .filter(got -> type.isInstance(got.event()))
                    .findFirst()
                    .orElseThrow()
                    .id();
        }

        /** Sets the state of a queue pair with the attributes of a connection. */
        void modify(QueuePair qp, CmId id, QpState... states) {
            for (QpState state : states) {
                qp.modify(services.call(_ -> id.initQpAttributes(state)));
            }
        }

        private void close() {
            services.close();
            general.close();
            context.close();
            host.close();
        }
    }

    /** A queue pair with memory of its own. */
    static final class Endpoint implements AutoCloseable {
        final ProtectionDomain pd;
        final CompletionQueue cq;
        final QueuePair qp;
        final MemorySegment memory = Arena.ofAuto().allocate(4096, 64);
        final MemoryRegion mr;

        Endpoint(Context context, QpType type) {
            pd = context.allocatePd();
            cq = context.createCq(16);
            qp = pd.createQp(QpInitAttributes.builder(cq, cq).type(type).build());
            mr = pd.registerMemory(
                    memory, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ));
        }

        @Override
        public void close() {
            qp.close();
            mr.close();
            cq.close();
            pd.close();
        }
    }

    CmHosts(boolean isVirtual) {
        time = isVirtual ? TestTime.virtual(this::work, 0) : TestTime.real();
        VethDevice.Pair pair = VethDevice.pair(
                VethDevice.end("veth0", 7, MTU, 0, List.of(Gid.parse("10.0.0.1"), Gid.parse("10.0.1.1"))),
                VethDevice.end("veth0", 7, MTU, 0, List.of(Gid.parse("10.0.0.2"), Gid.parse("10.0.1.2"))));
        client = new Side(pair.first(), 11);
        server = new Side(pair.second(), 12);
    }

    long nowNs() {
        return time.nanoTime();
    }

    void await(String what, BooleanSupplier condition) {
        try {
            time.await(what, condition);
        } catch (AssertionError e) {
            throw new AssertionError("client " + client.events + ", server " + server.events, e);
        }
    }

    /** Lets virtual time pass. */
    void pass(long durationNs) {
        time.pass(durationNs);
    }

    private long work(long nowNs) {
        long nextNs;
        long before;
        boolean worked;
        do {
            before = activity();
            worked = client.port().progress(nowNs);
            worked |= server.port().progress(nowNs);
            nextNs = Deadline.NEVER;
            for (Side side : List.of(client, server)) {
                nextNs = Deadline.earlier(nextNs, side.services.progress(nowNs));
                nextNs = Deadline.earlier(nextNs, side.port().nextDeadlineNs());
            }
        } while (worked || before != activity());
        return nextNs;
    }

    /** Changes if the MAD layers have sent or received something. */
    private long activity() {
        long sum = 0;
        for (Side side : new ArrayList<>(List.of(client, server))) {
            sum += side.general.mad().counters().get(MadCounter.SENT)
                    + side.general.mad().counters().get(MadCounter.RECEIVED);
        }
        return sum;
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
