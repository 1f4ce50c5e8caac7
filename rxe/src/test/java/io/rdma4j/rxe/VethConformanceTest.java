// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.testing.conformance.cq.CompletionEventCases;
import io.rdma4j.testing.conformance.cq.CompletionQueueCases;
import io.rdma4j.testing.conformance.device.AsyncEventCases;
import io.rdma4j.testing.conformance.device.BadInputCases;
import io.rdma4j.testing.conformance.device.DeviceCases;
import io.rdma4j.testing.conformance.device.LifetimeCases;
import io.rdma4j.testing.conformance.device.ProtectionDomainCases;
import io.rdma4j.testing.conformance.mr.DeviceMemoryCases;
import io.rdma4j.testing.conformance.mr.DmaMappingCases;
import io.rdma4j.testing.conformance.mr.DmaRegionCases;
import io.rdma4j.testing.conformance.mr.FastRegistrationCases;
import io.rdma4j.testing.conformance.mr.FmrCases;
import io.rdma4j.testing.conformance.mr.MemoryRegionCases;
import io.rdma4j.testing.conformance.mr.MemoryWindowCases;
import io.rdma4j.testing.conformance.mr.OnDemandCases;
import io.rdma4j.testing.conformance.mr.RegionFlagCases;
import io.rdma4j.testing.conformance.mr.ReregistrationCases;
import io.rdma4j.testing.conformance.qp.ErrorCompletionCases;
import io.rdma4j.testing.conformance.qp.PathMigrationCases;
import io.rdma4j.testing.conformance.qp.PostErrorCases;
import io.rdma4j.testing.conformance.qp.QueuePairCases;
import io.rdma4j.testing.conformance.qp.QueueResizeCases;
import io.rdma4j.testing.conformance.qp.RemoteErrorCases;
import io.rdma4j.testing.conformance.qp.SharedReceiveQueueCases;
import io.rdma4j.testing.conformance.traffic.AtomicCases;
import io.rdma4j.testing.conformance.traffic.DatagramCases;
import io.rdma4j.testing.conformance.traffic.ExtendedConnectionCases;
import io.rdma4j.testing.conformance.traffic.FlushCases;
import io.rdma4j.testing.conformance.traffic.IpoibChecksumCases;
import io.rdma4j.testing.conformance.traffic.LargeSendCases;
import io.rdma4j.testing.conformance.traffic.MaskedAtomicCases;
import io.rdma4j.testing.conformance.traffic.MulticastCases;
import io.rdma4j.testing.conformance.traffic.RawPacketCases;
import io.rdma4j.testing.conformance.traffic.RemoteReadCases;
import io.rdma4j.testing.conformance.traffic.RemoteWriteCases;
import io.rdma4j.testing.conformance.traffic.TrafficCases;
import io.rdma4j.testing.conformance.traffic.UnreliableConnectionCases;
import io.rdma4j.testing.ledger.ProvedOn;
import org.junit.jupiter.api.Nested;

/** The conformance kit over Ethernet: two hosts in the JVM, which must resolve link addresses first. */
@ProvedOn("carrier:veth")
class VethConformanceTest {
    @Nested
    class RawPackets extends RawPacketCases {
        RawPackets() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class Devices extends DeviceCases {
        Devices() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class ProtectionDomains extends ProtectionDomainCases {
        ProtectionDomains() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class CompletionQueues extends CompletionQueueCases {
        CompletionQueues() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class CompletionEvents extends CompletionEventCases {
        CompletionEvents() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class MemoryRegions extends MemoryRegionCases {
        MemoryRegions() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class QueuePairs extends QueuePairCases {
        QueuePairs() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class PathMigration extends PathMigrationCases {
        PathMigration() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class PostErrors extends PostErrorCases {
        PostErrors() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class TrafficOverIpv6 extends TrafficCases {
        TrafficOverIpv6() {
            super(RxeTargets::vethOverIpv6);
        }
    }

    @Nested
    class Traffic extends TrafficCases {
        Traffic() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class TrafficThroughARouter extends TrafficCases {
        TrafficThroughARouter() {
            super(RxeTargets::routed);
        }
    }

    @Nested
    class TrafficOfHosts extends TrafficCases {
        TrafficOfHosts() {
            super(RxeTargets::hosted);
        }
    }

    @Nested
    class ErrorCompletions extends ErrorCompletionCases {
        ErrorCompletions() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class AsyncEvents extends AsyncEventCases {
        AsyncEvents() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class Lifetimes extends LifetimeCases {
        Lifetimes() {
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
    class Atomics extends AtomicCases {
        Atomics() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class MaskedAtomics extends MaskedAtomicCases {
        MaskedAtomics() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class Flushes extends FlushCases {
        Flushes() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class RemoteErrors extends RemoteErrorCases {
        RemoteErrors() {
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
    class LargeSends extends LargeSendCases {
        LargeSends() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class IpoibChecksums extends IpoibChecksumCases {
        IpoibChecksums() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class UnreliableConnections extends UnreliableConnectionCases {
        UnreliableConnections() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class SharedReceiveQueues extends SharedReceiveQueueCases {
        SharedReceiveQueues() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class ExtendedConnections extends ExtendedConnectionCases {
        ExtendedConnections() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class MemoryWindows extends MemoryWindowCases {
        MemoryWindows() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class FastRegistrations extends FastRegistrationCases {
        FastRegistrations() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class Multicasts extends MulticastCases {
        Multicasts() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class DeviceMemories extends DeviceMemoryCases {
        DeviceMemories() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class OnDemandRegions extends OnDemandCases {
        OnDemandRegions() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class RegionFlags extends RegionFlagCases {
        RegionFlags() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class Reregistrations extends ReregistrationCases {
        Reregistrations() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class QueueResizes extends QueueResizeCases {
        QueueResizes() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class DmaRegions extends DmaRegionCases {
        DmaRegions() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class BadInputs extends BadInputCases {
        BadInputs() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class Fmrs extends FmrCases {
        Fmrs() {
            super(RxeTargets::veth);
        }
    }

    @Nested
    class DmaMappings extends DmaMappingCases {
        DmaMappings() {
            super(RxeTargets::veth);
        }
    }
}
