// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.PortCount;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.MigrationState;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two LIDs a port, each over a spine of its own. */
class PathBitsTest {
    private final SubnetTarget subnet = SubnetTarget.overSpines();

    @AfterEach
    void close() {
        subnet.close();
    }

    private AddressVector second(Endpoint to) {
        int lid = to.context.queryPort(1).lid();
        return new AddressVector(null, lid + 1, 0, 1, Rate.PORT_CURRENT, 1);
    }

    private AddressVector first(Endpoint to) {
        return AddressVector.local(1, to.context.queryPort(1).lid(), 0);
    }

    /** Packets that left the first leaf by one of its two uplinks. */
    private long sent(int uplink) {
        return subnet.fabric.exclusively(
                () -> subnet.switches.getFirst().port(2 + uplink).counts().get(PortCount.XMIT_PKTS));
    }

    @Test
    @Covers({"AH-4", "AH-5"})
    void thePathBitsChooseTheSourceAndTheWay() {
        EndpointSetup datagrams = EndpointSetup.DEFAULT.type(QpType.UD);
        try (Endpoint from = new Endpoint(subnet, subnet.first(), datagrams);
                Endpoint to = new Endpoint(subnet, subnet.second(), datagrams)) {
            Transitions.connect(from.qp, Set.of(), LinkSetup.DEFAULT, 0, first(to));
            Transitions.connect(to.qp, Set.of(), LinkSetup.DEFAULT, 0, first(from));
            int[] usedUplink = new int[2];
            for (int bits = 0; bits < 2; bits++) {
                long first = sent(0);
                long second = sent(1);
                to.postReceive(bits, 0, 256);
                try (AddressHandle handle = from.pd.createAddressHandle(bits == 0 ? first(to) : second(to))) {
                    from.qp
                            .startSend()
                            .signaled()
                            .send()
                            .destination(handle, to.qp.qpn(), Transitions.QKEY)
                            .sge(from.mr.lkey(), from.mr.address(), 16)
                            .complete();
                    WorkCompletion received = to.awaitReceive();
                    from.awaitSend();

                    assertThat(received.sourceLid())
                            .isEqualTo(from.context.queryPort(1).lid() + bits);
                    assertThat(received.destinationPathBits()).isEqualTo(bits);
                    assertThat(sent(0) + sent(1)).isEqualTo(first + second + 1);
                    usedUplink[bits] = sent(0) > first ? 0 : 1;
                }
            }
            assertThat(usedUplink[0]).isNotEqualTo(usedUplink[1]);
        }
    }

    /** The link of the primary path fails, and the connection goes on over the other spine, without the manager. */
    @Test
    void aConnectionMigratesToTheOtherLid() {
        try (Endpoint a = new Endpoint(subnet, subnet.first(), EndpointSetup.DEFAULT);
                Endpoint b = new Endpoint(subnet, subnet.second(), EndpointSetup.DEFAULT)) {
            Transitions.connect(a.qp, Set.of(), LinkSetup.SHORT_TIMEOUTS, b.qp.qpn(), over(0, a, 0, b, 1));
            Transitions.connect(b.qp, Set.of(), LinkSetup.SHORT_TIMEOUTS, a.qp.qpn(), over(0, b, 1, a, 0));
            prepare(a, over(1, a, 0, b, 1));
            prepare(b, over(1, b, 1, a, 0));
            exchange(a, b);
            exchange(a, b);
            long before = sent(1);
            subnet.manager.close();
            subnet.fabric.exclusively(() -> subnet.links.get(2).unplug());
            exchange(a, b);

            assertThat(a.qp.query().migrationState()).isEqualTo(MigrationState.MIGRATED);
            assertThat(sent(1)).isGreaterThan(before);
        }
    }

    /** Returns the path over a spine in both directions. Leaves are numbers of switches. */
    private AddressVector over(int spine, Endpoint from, int leafOfFrom, Endpoint to, int leafOfTo) {
        int own = lidOver(spine, from, leafOfTo);
        return new AddressVector(null, lidOver(spine, to, leafOfFrom), 0, own & 1, Rate.PORT_CURRENT, 1);
    }

    /** Returns the LID of a port to which a leaf sends over a spine. */
    private int lidOver(int spine, Endpoint to, int leaf) {
        int base = to.context.queryPort(1).lid();
        int port = subnet.fabric.exclusively(
                () -> subnet.switches.get(leaf).tables().linear(base));
        return port == 2 + spine ? base : base + 1;
    }

    private static void prepare(Endpoint endpoint, AddressVector alternate) {
        endpoint.qp.modify(QpAttributes.builder()
                .alternatePath(new AlternatePath(alternate, 0, 1, 13))
                .migrationState(MigrationState.REARM)
                .build());
    }

    private static void exchange(Endpoint from, Endpoint to) {
        to.postReceive(1, 0, 64);
        from.postSend(2, 0, 64);
        assertThat(from.awaitSend().status()).isEqualTo(WcStatus.SUCCESS);
        to.awaitReceive();
    }
}
