package io.rdma4j.rxe;

import io.rdma4j.testing.conformance.TrafficCases;
import org.junit.jupiter.api.Nested;

/** RoCE over the sockets that join the adapters of QEMU's guests. */
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
