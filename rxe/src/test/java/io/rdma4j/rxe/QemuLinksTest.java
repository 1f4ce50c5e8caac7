// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.testing.conformance.traffic.TrafficCases;
import org.junit.jupiter.api.Nested;

/** RoCE over the socket links between the network adapters of QEMU guests. */
class QemuLinksTest {
    @Nested
    class OverAStream extends TrafficCases {
        OverAStream() {
            super(RxeTargets::qemuStream);
        }
    }

    @Nested
    class OverDatagrams extends TrafficCases {
        OverDatagrams() {
            super(RxeTargets::qemuDatagrams);
        }
    }
}
