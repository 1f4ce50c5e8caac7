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
import io.rdma4j.testing.conformance.RegionFlagCases;
import io.rdma4j.testing.conformance.RemoteErrorCases;
import io.rdma4j.testing.conformance.RemoteReadCases;
import io.rdma4j.testing.conformance.RemoteWriteCases;
import io.rdma4j.testing.conformance.ReregistrationCases;
import io.rdma4j.testing.conformance.SharedReceiveQueueCases;
import io.rdma4j.testing.conformance.TrafficCases;
import io.rdma4j.testing.conformance.UnreliableConnectionCases;
import org.junit.jupiter.api.Nested;

/** The kit within the JVM: one device that talks to itself, trains whole. */
class LoopbackConformanceTest {
    @Nested
    class Devices extends DeviceCases {
        Devices() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class ProtectionDomains extends ProtectionDomainCases {
        ProtectionDomains() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class CompletionQueues extends CompletionQueueCases {
        CompletionQueues() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class CompletionEvents extends CompletionEventCases {
        CompletionEvents() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class MemoryRegions extends MemoryRegionCases {
        MemoryRegions() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class QueuePairs extends QueuePairCases {
        QueuePairs() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class PathMigration extends PathMigrationCases {
        PathMigration() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class PostErrors extends PostErrorCases {
        PostErrors() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class Traffic extends TrafficCases {
        Traffic() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class ErrorCompletions extends ErrorCompletionCases {
        ErrorCompletions() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class AsyncEvents extends AsyncEventCases {
        AsyncEvents() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class Lifetimes extends LifetimeCases {
        Lifetimes() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class RemoteWrites extends RemoteWriteCases {
        RemoteWrites() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class RemoteReads extends RemoteReadCases {
        RemoteReads() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class Atomics extends AtomicCases {
        Atomics() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class MaskedAtomics extends MaskedAtomicCases {
        MaskedAtomics() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class Flushes extends FlushCases {
        Flushes() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class RemoteErrors extends RemoteErrorCases {
        RemoteErrors() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class Datagrams extends DatagramCases {
        Datagrams() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class LargeSends extends LargeSendCases {
        LargeSends() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class IpoibChecksums extends IpoibChecksumCases {
        IpoibChecksums() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class UnreliableConnections extends UnreliableConnectionCases {
        UnreliableConnections() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class SharedReceiveQueues extends SharedReceiveQueueCases {
        SharedReceiveQueues() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class ExtendedConnections extends ExtendedConnectionCases {
        ExtendedConnections() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class MemoryWindows extends MemoryWindowCases {
        MemoryWindows() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class FastRegistrations extends FastRegistrationCases {
        FastRegistrations() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class Multicasts extends MulticastCases {
        Multicasts() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class DeviceMemories extends DeviceMemoryCases {
        DeviceMemories() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class OnDemandRegions extends OnDemandCases {
        OnDemandRegions() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class RegionFlags extends RegionFlagCases {
        RegionFlags() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class Reregistrations extends ReregistrationCases {
        Reregistrations() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class DmaRegions extends DmaRegionCases {
        DmaRegions() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class BadInputs extends BadInputCases {
        BadInputs() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class Fmrs extends FmrCases {
        Fmrs() {
            super(RxeTargets::loopback);
        }
    }

    @Nested
    class DmaMappings extends DmaMappingCases {
        DmaMappings() {
            super(RxeTargets::loopback);
        }
    }
}
