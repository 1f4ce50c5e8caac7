// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.traffic;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.Paths;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Cases for multicast datagrams. The group address depends on this process, so that tests in parallel use different
 * groups.
 */
public abstract class MulticastCases extends ConformanceCases {
    private static final int MULTICAST_QPN = 0xFFFFFF;
    private static final int ROUTE = 40;
    private static final int LENGTH = 500;
    private static final EndpointSetup SETUP = EndpointSetup.DEFAULT.type(QpType.UD);

    /** 239.p.p.n of the organisation-local scope (RFC 2365). */
    private static final int NETWORK =
            0xEF00_0000 | (int) (ProcessHandle.current().pid() & 0xFFFF) << 8;

    private final Gid group = Gid.ofIpv4(NETWORK | 1);
    private Endpoint a;
    private Endpoint b;
    private Endpoint c;
    private AddressHandle toGroup;

    protected MulticastCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void prepare() {
        require(DeviceLimit.MAX_MCAST_GRP);
        a = ready(endpoint(target().first(), SETUP));
        b = ready(endpoint(target().second(), SETUP));
        c = ready(endpoint(target().second(), SETUP));
        toGroup = to(group);
    }

    private static Endpoint ready(Endpoint endpoint) {
        endpoint.connectTo(endpoint, LinkSetup.DEFAULT);
        endpoint.postReceive(1, 0, ROUTE + LENGTH);
        endpoint.postReceive(2, 2000, ROUTE + LENGTH);
        return endpoint;
    }

    private AddressHandle to(Gid destination) {
        return closing(a.pd.createAddressHandle(Paths.toGroup(target(), destination)));
    }

    private void send(AddressHandle path, int qkey, int length) {
        a.qp.startSend()
                .signaled()
                .send()
                .destination(path, MULTICAST_QPN, qkey)
                .sge(a.mr.lkey(), a.mr.address() + 10_000, length)
                .complete();
        a.awaitSend();
    }

    private void assertReceived(Endpoint by, int length) {
        WorkCompletion received = by.awaitReceive();
        assertThat(received.byteLength()).isEqualTo(ROUTE + length);
        assertThat(received.sourceQp()).isEqualTo(a.qp.qpn());
        long at = received.wrId() == 1 ? 0 : 2000;
        ValueLayout.OfInt wire = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
        assertThat(by.memory.get(wire, at + ROUTE - 4)).isEqualTo(group.ipv4());
        Bytes.assertHolds(by.memory.asSlice(at + ROUTE, length), 7);
    }

    @Test
    @Covers({"MCAST-1", "MCAST-2", "MCAST-5", "MCAST-7", "MCAST-8", "AH-17"})
    void everyAttachedQueuePairGetsACopyOfItsOwn() {
        Bytes.fill(a.memory.asSlice(10_000, LENGTH), 7);
        a.qp.attachMulticast(group, target().groupLid());
        b.qp.attachMulticast(group, target().groupLid());
        c.qp.attachMulticast(group, target().groupLid());
        send(toGroup, Transitions.QKEY, LENGTH);
        assertReceived(b, LENGTH);
        assertReceived(c, LENGTH);
        assertReceived(a, LENGTH);
    }

    @Test
    @Covers("MCAST-3")
    void whoIsDetachedGetsNoMore() {
        Bytes.fill(a.memory.asSlice(10_000, LENGTH), 7);
        b.qp.attachMulticast(group, target().groupLid());
        c.qp.attachMulticast(group, target().groupLid());
        c.qp.detachMulticast(group, target().groupLid());
        send(toGroup, Transitions.QKEY, LENGTH);
        assertReceived(b, LENGTH);
        assertThat(c.receiveCq.poll(1)).isEmpty();
        b.qp.detachMulticast(group, target().groupLid());
        c.qp.attachMulticast(group, target().groupLid());
        send(toGroup, Transitions.QKEY, 9);
        assertReceived(c, 9);
        assertThat(b.receiveCq.poll(1)).isEmpty();
    }

    @Test
    void eachGroupIsOnItsOwn() {
        Bytes.fill(a.memory.asSlice(10_000, LENGTH), 7);
        b.qp.attachMulticast(group, target().groupLid());
        c.qp.attachMulticast(Gid.ofIpv4(NETWORK | 2), target().groupLid());
        c.qp.attachMulticast(Gid.ofIpv4(NETWORK | 3), target().groupLid());
        send(toGroup, Transitions.QKEY, LENGTH);
        assertReceived(b, LENGTH);
        assertThat(c.receiveCq.poll(1)).isEmpty();
    }

    /** The Q_Key of the group is that of the queue pairs. */
    @Test
    void aWrongQkeyReachesNobody() {
        Bytes.fill(a.memory.asSlice(10_000, LENGTH), 7);
        b.qp.attachMulticast(group, target().groupLid());
        send(toGroup, Transitions.QKEY ^ 1, 3);
        send(toGroup, Transitions.QKEY, 4);
        assertReceived(b, 4);
    }

    /** A closed queue pair leaves the group; the others stay. */
    @Test
    @Covers("MCAST-9")
    void whoGoesAwayLeaves() {
        Bytes.fill(a.memory.asSlice(10_000, LENGTH), 7);
        b.qp.attachMulticast(group, target().groupLid());
        c.qp.attachMulticast(group, target().groupLid());
        b.qp.close();
        send(toGroup, Transitions.QKEY, LENGTH);
        assertReceived(c, LENGTH);
    }

    @Test
    void onlyDatagramQueuePairsJoinAndOnlyGroups() {
        Endpoint connection = endpoint(target().first(), EndpointSetup.DEFAULT);
        Gid unicast = a.gid();
        assertRefused(
                Errno.EINVAL,
                () -> connection.qp.attachMulticast(group, target().groupLid()),
                connection.qp,
                QpType.RC);
        assertRefused(
                Errno.EINVAL,
                () -> connection.qp.detachMulticast(group, target().groupLid()),
                connection.qp,
                QpType.RC);
        assertRefused(
                Errno.EINVAL, () -> a.qp.attachMulticast(unicast, target().groupLid()), unicast, "no multicast GID");
        assertRefused(Errno.EINVAL, () -> a.qp.detachMulticast(group, target().groupLid()), group, "not attached");
    }

    /** The receiver of a multicast datagram cannot send from the group's address. */
    @Test
    void noReplyGoesOutFromAGroup() {
        Bytes.fill(a.memory.asSlice(10_000, LENGTH), 7);
        b.qp.attachMulticast(group, target().groupLid());
        send(toGroup, Transitions.QKEY, 5);
        WorkCompletion received = b.awaitReceive();
        assertRefused(Errno.ENOENT, () -> b.context.replyPath(target().port(), received, b.memory.asSlice(0, ROUTE)));
    }
}
