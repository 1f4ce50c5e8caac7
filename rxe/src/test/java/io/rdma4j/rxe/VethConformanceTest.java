package io.rdma4j.rxe;

import io.rdma4j.testing.conformance.RawPacketCases;
import org.junit.jupiter.api.Nested;

/** The kit over Ethernet: two hosts within the JVM. */
class VethConformanceTest {
    @Nested
    class RawPackets extends RawPacketCases {
        RawPackets() {
            super(RxeTargets::veth);
        }
    }
}
