// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.verbs.wr.WcStatus;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Headers made from an address vector, for address handles, primary paths and alternate paths. */
class AddressVectorTest {
    private static final int QKEY = 0x11111111;
    private static final int FLOW_LABEL = 0xABCDE;
    private static final int HOP_LIMIT = 33;
    private static final int TRAFFIC_CLASS = 0x2A;
    private static final GlobalRoute ROUTE_V6 = new GlobalRoute(Bench.PEER_V6, FLOW_LABEL, 1, HOP_LIMIT, TRAFFIC_CLASS);
    private static final GlobalRoute ROUTE_V4 = new GlobalRoute(Bench.PEER_V4, FLOW_LABEL, 0, HOP_LIMIT, TRAFFIC_CLASS);

    private final Bench bench = new Bench(Set.of());
    private final Endpoint from = bench.endpoint(EndpointSetup.DEFAULT.type(QpType.UD));

    @AfterEach
    void close() {
        bench.close();
    }

    private AddressHandle handle(AddressVector vector) {
        if (from.qp.state() == QpState.RESET) {
            from.connectTo(from, LinkSetup.DEFAULT);
        }
        return from.pd.createAddressHandle(vector);
    }

    private void post(AddressHandle path) {
        from.qp
                .startSend()
                .wrId(1)
                .signaled()
                .send()
                .destination(path, Bench.PEER_QPN, QKEY)
                .sge(from.mr.lkey(), from.mr.address(), 8)
                .complete();
    }

    private byte[] datagram(AddressVector vector) {
        try (AddressHandle path = handle(vector)) {
            bench.link.sent.clear();
            post(path);
            bench.run();
            assertThat(from.sendCq.poll(2))
                    .singleElement()
                    .satisfies(wc -> assertThat(wc.status()).isEqualTo(WcStatus.SUCCESS));
            return bench.link.sent.getFirst();
        }
    }

    private static void assertTakes(GlobalRoute route, Gid source, byte[] packet) {
        ByteBuffer ip = ByteBuffer.wrap(packet);
        if (route.destination().isIpv4()) {
            assertThat(ip.get(1)).isEqualTo((byte) TRAFFIC_CLASS);
            assertThat(ip.get(8)).isEqualTo((byte) HOP_LIMIT);
            assertThat(ip.getInt(12)).isEqualTo(source.ipv4());
            assertThat(ip.getInt(16)).isEqualTo(route.destination().ipv4());
        } else {
            assertThat(ip.getInt(0)).isEqualTo(6 << 28 | TRAFFIC_CLASS << 20 | FLOW_LABEL);
            assertThat(ip.get(7)).isEqualTo((byte) HOP_LIMIT);
            assertThat(Arrays.copyOfRange(packet, 8, 24)).isEqualTo(source.toBytes());
            assertThat(Arrays.copyOfRange(packet, 24, 40))
                    .isEqualTo(route.destination().toBytes());
        }
    }

    @Test
    @Covers({"AH-3", "RXE-78"})
    void globalRouteIsTheIpHeaderOfBothVersions() {
        assertTakes(ROUTE_V6, Bench.LOCAL_V6, datagram(AddressVector.global(1, ROUTE_V6)));
        assertTakes(ROUTE_V4, Bench.LOCAL_V4, datagram(AddressVector.global(1, ROUTE_V4)));
    }

    /** Ethernet ignores LIDs. A service level is a priority, which a packet without VLAN tag does not contain. */
    @Test
    @Covers({"AH-2", "AH-4"})
    void whatOnlyInfinibandHasIsKeptAndSaysNothingOnEthernet() {
        AddressVector full = new AddressVector(ROUTE_V6, 0x1234, 5, 0x7F, Rate.GBPS_10, 1);
        try (AddressHandle path = handle(full)) {
            assertThat(path.query()).isEqualTo(full);
        }
        byte[] plain = datagram(AddressVector.global(1, ROUTE_V6));
        byte[] decorated = datagram(full);
        // All but UDP source port (derived from the handle), PSN and ICRC.
        assertThat(Arrays.copyOf(decorated, 40)).isEqualTo(Arrays.copyOf(plain, 40));
        assertThat(Arrays.copyOfRange(decorated, 42, 57)).isEqualTo(Arrays.copyOfRange(plain, 42, 57));
    }

    @Test
    @Covers({"AH-2", "QP-53"})
    void vectorOfAHandleServesAsPrimaryAndAsAlternatePathToo() {
        AddressVector vector = new AddressVector(ROUTE_V6, 0, 3, 0, Rate.GBPS_10, 1);
        handle(vector).close();
        Endpoint connected = bench.endpoint();
        Bench.connect(connected.qp, ROUTE_V6, 14);
        connected.qp.modify(QpAttributes.builder()
                .alternatePath(new AlternatePath(vector, 0, 1, 14))
                .build());
        assertThat(connected.qp.query().addressVector()).isEqualTo(AddressVector.global(1, ROUTE_V6));
        assertThat(connected.qp.query().alternatePath()).isEqualTo(new AlternatePath(vector, 0, 1, 14));
        bench.link.sent.clear();
        connected.postSend(1, 0, 8);
        bench.run();
        assertTakes(ROUTE_V6, Bench.LOCAL_V6, bench.link.sent.getFirst());
    }

    @Test
    @Covers("AH-6")
    void datagramsToASlowReceiverWaitForOneAnother() {
        AddressVector slow = new AddressVector(ROUTE_V4, 0, 0, 0, Rate.GBPS_2_5, 1);
        try (AddressHandle path = handle(slow)) {
            postThree(path);
            assertThat(bench.link.sent).hasSize(1);
            bench.progress();
            assertThat(bench.link.sent).hasSize(3);
            path.modify(AddressVector.global(1, ROUTE_V4));
            bench.link.sent.clear();
            postThree(path);
            assertThat(bench.link.sent).hasSize(3);
        }
    }

    private void postThree(AddressHandle path) {
        for (int i = 0; i < 3; i++) {
            post(path);
        }
        bench.run();
    }

    @Test
    @Covers("AH-16")
    void handleMustOutliveTheRequestsThatGoThroughItOrTheyFail() {
        AddressHandle kept = handle(AddressVector.global(1, ROUTE_V4));
        post(kept);
        bench.run();
        assertThat(from.sendCq.poll(2))
                .singleElement()
                .satisfies(wc -> assertThat(wc.status()).isEqualTo(WcStatus.SUCCESS));
        kept.close();

        bench.link.sent.clear();
        AddressHandle lost = handle(AddressVector.global(1, ROUTE_V4));
        post(lost);
        lost.close();
        bench.run();
        assertThat(bench.link.sent).isEmpty();
        assertThat(from.sendCq.poll(2))
                .singleElement()
                .satisfies(wc -> assertThat(wc.status()).isEqualTo(WcStatus.LOC_QP_OP_ERR));
    }
}
