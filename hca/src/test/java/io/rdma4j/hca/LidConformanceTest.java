// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

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
import io.rdma4j.testing.conformance.traffic.ExtendedConnectionCases;
import io.rdma4j.testing.conformance.traffic.FlushCases;
import io.rdma4j.testing.conformance.traffic.LargeSendCases;
import io.rdma4j.testing.conformance.traffic.MaskedAtomicCases;
import io.rdma4j.testing.conformance.traffic.RemoteReadCases;
import io.rdma4j.testing.conformance.traffic.RemoteWriteCases;
import io.rdma4j.testing.conformance.traffic.TrafficCases;
import io.rdma4j.testing.conformance.traffic.UnreliableConnectionCases;
import org.junit.jupiter.api.Nested;

/**
 * The conformance kit over a carrier that knows LIDs and no IP addresses. Cases about GRHs, and about multicast groups
 * without LIDs, are left out.
 */
class LidConformanceTest {
    @Nested
    class Devices extends DeviceCases {
        Devices() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class ProtectionDomains extends ProtectionDomainCases {
        ProtectionDomains() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class CompletionQueues extends CompletionQueueCases {
        CompletionQueues() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class CompletionEvents extends CompletionEventCases {
        CompletionEvents() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class MemoryRegions extends MemoryRegionCases {
        MemoryRegions() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class QueuePairs extends QueuePairCases {
        QueuePairs() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class PathMigration extends PathMigrationCases {
        PathMigration() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class PostErrors extends PostErrorCases {
        PostErrors() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class Traffic extends TrafficCases {
        Traffic() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class ErrorCompletions extends ErrorCompletionCases {
        ErrorCompletions() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class AsyncEvents extends AsyncEventCases {
        AsyncEvents() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class Lifetimes extends LifetimeCases {
        Lifetimes() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class RemoteWrites extends RemoteWriteCases {
        RemoteWrites() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class RemoteReads extends RemoteReadCases {
        RemoteReads() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class Atomics extends AtomicCases {
        Atomics() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class MaskedAtomics extends MaskedAtomicCases {
        MaskedAtomics() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class Flushes extends FlushCases {
        Flushes() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class RemoteErrors extends RemoteErrorCases {
        RemoteErrors() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class LargeSends extends LargeSendCases {
        LargeSends() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class UnreliableConnections extends UnreliableConnectionCases {
        UnreliableConnections() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class SharedReceiveQueues extends SharedReceiveQueueCases {
        SharedReceiveQueues() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class ExtendedConnections extends ExtendedConnectionCases {
        ExtendedConnections() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class MemoryWindows extends MemoryWindowCases {
        MemoryWindows() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class FastRegistrations extends FastRegistrationCases {
        FastRegistrations() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class DeviceMemories extends DeviceMemoryCases {
        DeviceMemories() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class OnDemandRegions extends OnDemandCases {
        OnDemandRegions() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class RegionFlags extends RegionFlagCases {
        RegionFlags() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class Reregistrations extends ReregistrationCases {
        Reregistrations() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class QueueResizes extends QueueResizeCases {
        QueueResizes() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class DmaRegions extends DmaRegionCases {
        DmaRegions() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class BadInputs extends BadInputCases {
        BadInputs() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class Fmrs extends FmrCases {
        Fmrs() {
            super(LidSubnet::new);
        }
    }

    @Nested
    class DmaMappings extends DmaMappingCases {
        DmaMappings() {
            super(LidSubnet::new);
        }
    }
}
