// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

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
 * The conformance kit over a subnet with a manager: over a switch, or in the profile {@code subnets} over wire links
 * and over two spines. Datagrams have a global route.
 */
class IbConformanceTest {
    @Nested
    class Devices extends DeviceCases {
        Devices() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class ProtectionDomains extends ProtectionDomainCases {
        ProtectionDomains() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class CompletionQueues extends CompletionQueueCases {
        CompletionQueues() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class CompletionEvents extends CompletionEventCases {
        CompletionEvents() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class MemoryRegions extends MemoryRegionCases {
        MemoryRegions() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class QueuePairs extends QueuePairCases {
        QueuePairs() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class PathMigration extends PathMigrationCases {
        PathMigration() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class PostErrors extends PostErrorCases {
        PostErrors() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class Traffic extends TrafficCases {
        Traffic() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class ErrorCompletions extends ErrorCompletionCases {
        ErrorCompletions() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class AsyncEvents extends AsyncEventCases {
        AsyncEvents() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class Lifetimes extends LifetimeCases {
        Lifetimes() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class RemoteWrites extends RemoteWriteCases {
        RemoteWrites() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class RemoteReads extends RemoteReadCases {
        RemoteReads() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class Atomics extends AtomicCases {
        Atomics() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class MaskedAtomics extends MaskedAtomicCases {
        MaskedAtomics() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class Flushes extends FlushCases {
        Flushes() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class RemoteErrors extends RemoteErrorCases {
        RemoteErrors() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class LargeSends extends LargeSendCases {
        LargeSends() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class UnreliableConnections extends UnreliableConnectionCases {
        UnreliableConnections() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class SharedReceiveQueues extends SharedReceiveQueueCases {
        SharedReceiveQueues() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class ExtendedConnections extends ExtendedConnectionCases {
        ExtendedConnections() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class MemoryWindows extends MemoryWindowCases {
        MemoryWindows() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class FastRegistrations extends FastRegistrationCases {
        FastRegistrations() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class DeviceMemories extends DeviceMemoryCases {
        DeviceMemories() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class OnDemandRegions extends OnDemandCases {
        OnDemandRegions() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class RegionFlags extends RegionFlagCases {
        RegionFlags() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class Reregistrations extends ReregistrationCases {
        Reregistrations() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class QueueResizes extends QueueResizeCases {
        QueueResizes() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class DmaRegions extends DmaRegionCases {
        DmaRegions() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class BadInputs extends BadInputCases {
        BadInputs() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class Fmrs extends FmrCases {
        Fmrs() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class DmaMappings extends DmaMappingCases {
        DmaMappings() {
            super(SubnetTarget::open);
        }
    }

    @Nested
    class Datagrams extends DatagramCases {
        Datagrams() {
            super(SubnetTarget::routed);
        }
    }

    @Nested
    class Multicast extends MulticastCases {
        Multicast() {
            super(SubnetTarget::routed);
        }
    }

    @Nested
    class IpoibChecksums extends IpoibChecksumCases {
        IpoibChecksums() {
            super(SubnetTarget::routed);
        }
    }
}
