package io.rdma4j.rxe;

import io.rdma4j.testing.conformance.AsyncEventCases;
import io.rdma4j.testing.conformance.AtomicCases;
import io.rdma4j.testing.conformance.BadInputCases;
import io.rdma4j.testing.conformance.CompletionEventCases;
import io.rdma4j.testing.conformance.CompletionQueueCases;
import io.rdma4j.testing.conformance.DatagramCases;
import io.rdma4j.testing.conformance.DeviceCases;
import io.rdma4j.testing.conformance.DeviceMemoryCases;
import io.rdma4j.testing.conformance.DmaMappingCases;
import io.rdma4j.testing.conformance.DmaRegionCases;
import io.rdma4j.testing.conformance.ErrorCompletionCases;
import io.rdma4j.testing.conformance.ExtendedConnectionCases;
import io.rdma4j.testing.conformance.FastRegistrationCases;
import io.rdma4j.testing.conformance.FlushCases;
import io.rdma4j.testing.conformance.FmrCases;
import io.rdma4j.testing.conformance.IpoibChecksumCases;
import io.rdma4j.testing.conformance.LargeSendCases;
import io.rdma4j.testing.conformance.LifetimeCases;
import io.rdma4j.testing.conformance.MaskedAtomicCases;
import io.rdma4j.testing.conformance.MemoryRegionCases;
import io.rdma4j.testing.conformance.MemoryWindowCases;
import io.rdma4j.testing.conformance.MulticastCases;
import io.rdma4j.testing.conformance.OnDemandCases;
import io.rdma4j.testing.conformance.PathMigrationCases;
import io.rdma4j.testing.conformance.PostErrorCases;
import io.rdma4j.testing.conformance.ProtectionDomainCases;
import io.rdma4j.testing.conformance.QueuePairCases;
import io.rdma4j.testing.conformance.RawPacketCases;
import io.rdma4j.testing.conformance.RegionFlagCases;
import io.rdma4j.testing.conformance.RemoteErrorCases;
import io.rdma4j.testing.conformance.RemoteReadCases;
import io.rdma4j.testing.conformance.RemoteWriteCases;
import io.rdma4j.testing.conformance.ReregistrationCases;
import io.rdma4j.testing.conformance.SharedReceiveQueueCases;
import io.rdma4j.testing.conformance.TrafficCases;
import io.rdma4j.testing.conformance.UnreliableConnectionCases;
import io.rdma4j.testing.ledger.ProvedOn;
import org.junit.jupiter.api.Nested;

/** The kit over Ethernet: two hosts within the JVM, which have to ask for each other's link address first. */
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
