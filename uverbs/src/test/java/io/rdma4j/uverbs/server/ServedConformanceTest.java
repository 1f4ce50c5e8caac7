package io.rdma4j.uverbs.server;

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

/** The kit over devices of another process, as far as that can be told: commands over sockets, queues in files that both sides map. */
class ServedConformanceTest {
    @Nested
    class Devices extends DeviceCases {
        Devices() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class ProtectionDomains extends ProtectionDomainCases {
        ProtectionDomains() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class CompletionQueues extends CompletionQueueCases {
        CompletionQueues() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class CompletionEvents extends CompletionEventCases {
        CompletionEvents() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class MemoryRegions extends MemoryRegionCases {
        MemoryRegions() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class QueuePairs extends QueuePairCases {
        QueuePairs() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class PathMigration extends PathMigrationCases {
        PathMigration() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class PostErrors extends PostErrorCases {
        PostErrors() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class Traffic extends TrafficCases {
        Traffic() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class ErrorCompletions extends ErrorCompletionCases {
        ErrorCompletions() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class AsyncEvents extends AsyncEventCases {
        AsyncEvents() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class Lifetimes extends LifetimeCases {
        Lifetimes() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class RemoteWrites extends RemoteWriteCases {
        RemoteWrites() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class RemoteReads extends RemoteReadCases {
        RemoteReads() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class Atomics extends AtomicCases {
        Atomics() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class MaskedAtomics extends MaskedAtomicCases {
        MaskedAtomics() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class Flushes extends FlushCases {
        Flushes() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class RemoteErrors extends RemoteErrorCases {
        RemoteErrors() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class Datagrams extends DatagramCases {
        Datagrams() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class LargeSends extends LargeSendCases {
        LargeSends() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class IpoibChecksums extends IpoibChecksumCases {
        IpoibChecksums() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class UnreliableConnections extends UnreliableConnectionCases {
        UnreliableConnections() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class SharedReceiveQueues extends SharedReceiveQueueCases {
        SharedReceiveQueues() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class ExtendedConnections extends ExtendedConnectionCases {
        ExtendedConnections() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class MemoryWindows extends MemoryWindowCases {
        MemoryWindows() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class FastRegistrations extends FastRegistrationCases {
        FastRegistrations() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class Multicasts extends MulticastCases {
        Multicasts() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class DeviceMemories extends DeviceMemoryCases {
        DeviceMemories() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class OnDemandRegions extends OnDemandCases {
        OnDemandRegions() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class RegionFlags extends RegionFlagCases {
        RegionFlags() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class Reregistrations extends ReregistrationCases {
        Reregistrations() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class DmaRegions extends DmaRegionCases {
        DmaRegions() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class BadInputs extends BadInputCases {
        BadInputs() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class Fmrs extends FmrCases {
        Fmrs() {
            super(ServedTarget::new);
        }
    }

    @Nested
    class DmaMappings extends DmaMappingCases {
        DmaMappings() {
            super(ServedTarget::new);
        }
    }
}
