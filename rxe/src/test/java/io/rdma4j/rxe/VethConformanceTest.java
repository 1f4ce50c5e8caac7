package io.rdma4j.rxe;

import io.rdma4j.testing.conformance.DatagramCases;
import io.rdma4j.testing.conformance.MulticastCases;
import io.rdma4j.testing.conformance.RawPacketCases;
import io.rdma4j.testing.conformance.RemoteReadCases;
import io.rdma4j.testing.conformance.RemoteWriteCases;
import io.rdma4j.testing.conformance.TrafficCases;
import io.rdma4j.testing.conformance.UnreliableConnectionCases;
import org.junit.jupiter.api.Nested;

/** The kit over Ethernet: two hosts within the JVM. Raw frames, and all that puts packets on the link in another way. */
class VethConformanceTest {
    @Nested
    class RawPackets extends RawPacketCases {
        RawPackets() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class Traffic extends TrafficCases {
        Traffic() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class Datagrams extends DatagramCases {
        Datagrams() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class RemoteWrites extends RemoteWriteCases {
        RemoteWrites() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class RemoteReads extends RemoteReadCases {
        RemoteReads() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class Multicast extends MulticastCases {
        Multicast() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class UnreliableConnections extends UnreliableConnectionCases {
        UnreliableConnections() {
            super(RxeTargets::veth);
        }
    }
}
