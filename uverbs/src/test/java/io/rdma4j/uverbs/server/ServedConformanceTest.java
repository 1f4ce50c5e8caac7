// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

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
import io.rdma4j.testing.conformance.traffic.RemoteReadCases;
import io.rdma4j.testing.conformance.traffic.RemoteWriteCases;
import io.rdma4j.testing.conformance.traffic.TrafficCases;
import io.rdma4j.testing.conformance.traffic.UnreliableConnectionCases;
import org.junit.jupiter.api.Nested;

/**
 * The conformance kit over served devices. Server and client are in this JVM and use the same sockets and mapped files
 * as two processes.
 */
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
    class QueueResizes extends QueueResizeCases {
        QueueResizes() {
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
