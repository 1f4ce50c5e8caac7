// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim;

import io.rdma4j.links.LinkProfile;
import io.rdma4j.testing.conformance.cq.CompletionEventCases;
import io.rdma4j.testing.conformance.cq.CompletionQueueCases;
import io.rdma4j.testing.conformance.device.AsyncEventCases;
import io.rdma4j.testing.conformance.device.BadInputCases;
import io.rdma4j.testing.conformance.device.DeviceCases;
import io.rdma4j.testing.conformance.device.LifetimeCases;
import io.rdma4j.testing.conformance.device.ProtectionDomainCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
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
import io.rdma4j.testing.conformance.traffic.RemoteReadCases;
import io.rdma4j.testing.conformance.traffic.RemoteWriteCases;
import io.rdma4j.testing.conformance.traffic.TrafficCases;
import io.rdma4j.testing.conformance.traffic.UnreliableConnectionCases;
import io.rdma4j.transport.port.TransportOptions;
import org.junit.jupiter.api.Nested;

/** Runs the conformance kit on two simulated hosts, in virtual time. */
class SimConformanceTest {
    private static ConformanceTarget target() {
        return new SimTarget(LinkProfile.PERFECT, TransportOptions.DEFAULT);
    }

    @Nested
    class Devices extends DeviceCases {
        Devices() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class ProtectionDomains extends ProtectionDomainCases {
        ProtectionDomains() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class CompletionQueues extends CompletionQueueCases {
        CompletionQueues() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class CompletionEvents extends CompletionEventCases {
        CompletionEvents() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class MemoryRegions extends MemoryRegionCases {
        MemoryRegions() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class QueuePairs extends QueuePairCases {
        QueuePairs() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class PathMigration extends PathMigrationCases {
        PathMigration() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class PostErrors extends PostErrorCases {
        PostErrors() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class Traffic extends TrafficCases {
        Traffic() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class ErrorCompletions extends ErrorCompletionCases {
        ErrorCompletions() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class AsyncEvents extends AsyncEventCases {
        AsyncEvents() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class Lifetimes extends LifetimeCases {
        Lifetimes() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class RemoteWrites extends RemoteWriteCases {
        RemoteWrites() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class RemoteReads extends RemoteReadCases {
        RemoteReads() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class Atomics extends AtomicCases {
        Atomics() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class MaskedAtomics extends MaskedAtomicCases {
        MaskedAtomics() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class Flushes extends FlushCases {
        Flushes() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class RemoteErrors extends RemoteErrorCases {
        RemoteErrors() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class Datagrams extends DatagramCases {
        Datagrams() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class LargeSends extends LargeSendCases {
        LargeSends() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class IpoibChecksums extends IpoibChecksumCases {
        IpoibChecksums() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class UnreliableConnections extends UnreliableConnectionCases {
        UnreliableConnections() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class SharedReceiveQueues extends SharedReceiveQueueCases {
        SharedReceiveQueues() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class ExtendedConnections extends ExtendedConnectionCases {
        ExtendedConnections() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class MemoryWindows extends MemoryWindowCases {
        MemoryWindows() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class FastRegistrations extends FastRegistrationCases {
        FastRegistrations() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class DeviceMemories extends DeviceMemoryCases {
        DeviceMemories() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class OnDemandRegions extends OnDemandCases {
        OnDemandRegions() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class RegionFlags extends RegionFlagCases {
        RegionFlags() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class Reregistrations extends ReregistrationCases {
        Reregistrations() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class QueueResizes extends QueueResizeCases {
        QueueResizes() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class DmaRegions extends DmaRegionCases {
        DmaRegions() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class BadInputs extends BadInputCases {
        BadInputs() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class Fmrs extends FmrCases {
        Fmrs() {
            super(SimConformanceTest::target);
        }
    }

    @Nested
    class DmaMappings extends DmaMappingCases {
        DmaMappings() {
            super(SimConformanceTest::target);
        }
    }
}
