// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.Rate;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The port enforces every static rate of a path, not only the rates that IBA 9.11.1 requires. */
class InterPacketDelayTest {
    private static final int PACKETS = 60;
    private static final int BYTES = 1000;
    private static final long STEP_NS = 500;

    /** Time for the packets of the initial burst and one packet; then one packet time each. */
    private static final double BURST_NS = 20_000;

    @ParameterizedTest
    @EnumSource(
            value = Rate.class,
            names = {"GBPS_2_5", "GBPS_5", "GBPS_10", "GBPS_14", "GBPS_20"})
    @Covers("PORT-24")
    void packetsLeaveAtTheRateOfTheirPath(Rate rate) {
        try (Bench bench = new Bench(Set.of())) {
            assertThat(bench.context.queryPort(1).capabilities()).contains(PortCapability.OPT_IPD_SUP);
            Endpoint from = bench.endpoint(EndpointSetup.DEFAULT.type(QpType.UD));
            from.connectTo(from, LinkSetup.DEFAULT);
            AddressVector vector = new AddressVector(GlobalRoute.to(Bench.PEER_V4, 0), 0, 0, 0, rate, 1);
            try (AddressHandle handle = from.pd.createAddressHandle(vector)) {
                for (int i = 0; i < PACKETS; i++) {
                    from.qp.postSend(SendRequest.send()
                            .sge(from.mr.sge(0, BYTES))
                            .destination(handle, Bench.PEER_QPN, 1)
                            .build());
                }
                long beginNs = bench.now;
                bench.run();
                while (bench.link.sent.size() < PACKETS) {
                    bench.now += STEP_NS;
                    bench.run();
                }
                double leastNs = (PACKETS - 1) * BYTES * 8 * 1e3 / rate.mbps() - BURST_NS;
                assertThat((double) (bench.now - beginNs)).isBetween(leastNs, 2 * (leastNs + BURST_NS));
            }
        }
    }
}
