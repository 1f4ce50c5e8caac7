// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import io.rdma4j.testing.conformance.traffic.MulticastCases;
import io.rdma4j.testing.conformance.traffic.TrafficCases;
import org.junit.jupiter.api.Nested;

/** Cases of the kit over wire links and over two spines. The profile {@code subnets} runs the whole kit there. */
class WireTrafficTest {
    @Nested
    class TrafficOverWire extends TrafficCases {
        TrafficOverWire() {
            super(SubnetTarget::overWire);
        }
    }

    @Nested
    class MulticastOverSpines extends MulticastCases {
        MulticastOverSpines() {
            super(SubnetTarget::overSpines);
        }
    }
}
