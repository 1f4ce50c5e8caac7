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
import io.rdma4j.testing.conformance.traffic.RemoteReadCases;
import io.rdma4j.testing.conformance.traffic.RemoteWriteCases;
import io.rdma4j.testing.conformance.traffic.TrafficCases;
import io.rdma4j.testing.conformance.traffic.UnreliableConnectionCases;
import io.rdma4j.testing.ledger.ProvedOn;
import org.junit.jupiter.api.Nested;

/** The conformance kit over UDP sockets: two hosts, trains segmented into packets with an ICRC each. */
@ProvedOn("carrier:udp")
class UdpConformanceTest {
    @Nested
    class Devices extends DeviceCases {
        Devices() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class ProtectionDomains extends ProtectionDomainCases {
        ProtectionDomains() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class CompletionQueues extends CompletionQueueCases {
        CompletionQueues() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class CompletionEvents extends CompletionEventCases {
        CompletionEvents() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class MemoryRegions extends MemoryRegionCases {
        MemoryRegions() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class QueuePairs extends QueuePairCases {
        QueuePairs() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class PathMigration extends PathMigrationCases {
        PathMigration() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class PostErrors extends PostErrorCases {
        PostErrors() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class Traffic extends TrafficCases {
        Traffic() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class ErrorCompletions extends ErrorCompletionCases {
        ErrorCompletions() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class AsyncEvents extends AsyncEventCases {
        AsyncEvents() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class Lifetimes extends LifetimeCases {
        Lifetimes() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class RemoteWrites extends RemoteWriteCases {
        RemoteWrites() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class RemoteReads extends RemoteReadCases {
        RemoteReads() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class Atomics extends AtomicCases {
        Atomics() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class MaskedAtomics extends MaskedAtomicCases {
        MaskedAtomics() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class Flushes extends FlushCases {
        Flushes() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class RemoteErrors extends RemoteErrorCases {
        RemoteErrors() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class Datagrams extends DatagramCases {
        Datagrams() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class LargeSends extends LargeSendCases {
        LargeSends() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class IpoibChecksums extends IpoibChecksumCases {
        IpoibChecksums() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class UnreliableConnections extends UnreliableConnectionCases {
        UnreliableConnections() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class SharedReceiveQueues extends SharedReceiveQueueCases {
        SharedReceiveQueues() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class ExtendedConnections extends ExtendedConnectionCases {
        ExtendedConnections() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class MemoryWindows extends MemoryWindowCases {
        MemoryWindows() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class FastRegistrations extends FastRegistrationCases {
        FastRegistrations() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class Multicasts extends MulticastCases {
        Multicasts() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class DeviceMemories extends DeviceMemoryCases {
        DeviceMemories() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class OnDemandRegions extends OnDemandCases {
        OnDemandRegions() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class RegionFlags extends RegionFlagCases {
        RegionFlags() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class Reregistrations extends ReregistrationCases {
        Reregistrations() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class QueueResizes extends QueueResizeCases {
        QueueResizes() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class DmaRegions extends DmaRegionCases {
        DmaRegions() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class BadInputs extends BadInputCases {
        BadInputs() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class Fmrs extends FmrCases {
        Fmrs() {
            super(RxeTargets::udp);
        }
    }

    @Nested
    class DmaMappings extends DmaMappingCases {
        DmaMappings() {
            super(RxeTargets::udp);
        }
    }
}
