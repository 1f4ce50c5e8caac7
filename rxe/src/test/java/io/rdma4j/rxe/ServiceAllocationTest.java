// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.testing.conformance.harness.Allocations;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpType;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Services other than RC allocate nothing per message either. */
class ServiceAllocationTest {
    private static final int MESSAGES = 2000;
    private static final int LENGTH = 200;
    private static final int QKEY = 0x11111111;
    private static final int MULTICAST_QPN = 0xFFFFFF;

    /** 239.p.p.n, derived from the process id. */
    private static final Gid GROUP =
            Gid.ofIpv4(0xEF00_0000 | (int) (ProcessHandle.current().pid() & 0xFFFF) << 8 | 0x81);

    static List<Supplier<ConformanceTarget>> targets() {
        return List.of(RxeTargets::udp, RxeTargets::sharedMemory, RxeTargets::loopback);
    }

    @ParameterizedTest
    @MethodSource("targets")
    void aDatagramAllocatesNothing(Supplier<ConformanceTarget> opener) {
        EndpointSetup setup = EndpointSetup.DEFAULT.type(QpType.UD);
        try (ConformanceTarget target = opener.get();
                Endpoint a = new Endpoint(target, target.first(), setup);
                Endpoint b = new Endpoint(target, target.second(), setup);
                AddressHandle path = a.pd.createAddressHandle(AddressVector.roce(1, b.gid(), 0))) {
            a.connectTo(b, LinkSetup.DEFAULT);
            b.connectTo(a, LinkSetup.DEFAULT);
            assertAllocatesNothing(
                    a,
                    b,
                    () -> a.qp.startSend()
                            .signaled()
                            .send()
                            .destination(path, b.qp.qpn(), QKEY)
                            .sge(a.mr.lkey(), a.mr.address(), LENGTH)
                            .complete());
        }
    }

    @ParameterizedTest
    @MethodSource("targets")
    void aMulticastDatagramAllocatesNothing(Supplier<ConformanceTarget> opener) {
        EndpointSetup setup = EndpointSetup.DEFAULT.type(QpType.UD);
        try (ConformanceTarget target = opener.get();
                Endpoint a = new Endpoint(target, target.first(), setup);
                Endpoint b = new Endpoint(target, target.second(), setup);
                AddressHandle path = a.pd.createAddressHandle(AddressVector.roce(1, GROUP, 0))) {
            a.connectTo(b, LinkSetup.DEFAULT);
            b.connectTo(a, LinkSetup.DEFAULT);
            b.qp.attachMulticast(GROUP, 0);
            assertAllocatesNothing(
                    a,
                    b,
                    () -> a.qp.startSend()
                            .signaled()
                            .send()
                            .destination(path, MULTICAST_QPN, QKEY)
                            .sge(a.mr.lkey(), a.mr.address(), LENGTH)
                            .complete());
        }
    }

    @ParameterizedTest
    @MethodSource("targets")
    void aMessageOfAnUnreliableConnectionAllocatesNothing(Supplier<ConformanceTarget> opener) {
        EndpointSetup setup = EndpointSetup.DEFAULT.type(QpType.UC);
        try (ConformanceTarget target = opener.get();
                Endpoint a = new Endpoint(target, target.first(), setup);
                Endpoint b = new Endpoint(target, target.second(), setup)) {
            a.connectTo(b, LinkSetup.DEFAULT);
            b.connectTo(a, LinkSetup.DEFAULT);
            assertAllocatesNothing(a, b, () -> a.postSend(1, 0, LENGTH));
        }
    }

    @ParameterizedTest
    @MethodSource("targets")
    void aMessageIntoASharedQueueAllocatesNothing(Supplier<ConformanceTarget> opener) {
        try (ConformanceTarget target = opener.get();
                ProtectionDomain pd = target.second().allocatePd();
                SharedReceiveQueue srq = pd.createSrq(SrqInitAttributes.basic(10, 1));
                Endpoint a = new Endpoint(target, target.first(), EndpointSetup.DEFAULT);
                Endpoint b = new Endpoint(target, target.second(), EndpointSetup.DEFAULT.srq(srq));
                MemoryRegion mr = pd.registerMemory(b.memory, Set.of(AccessFlag.LOCAL_WRITE))) {
            a.connectTo(b, LinkSetup.DEFAULT);
            b.connectTo(a, LinkSetup.DEFAULT);
            Runnable receive = () -> srq.startReceive()
                    .receive(1)
                    .sge(mr.lkey(), mr.address(), LENGTH)
                    .complete();
            assertAllocatesNothing(a, b, receive, () -> a.postSend(1, 0, LENGTH));
        }
    }

    private static void assertAllocatesNothing(Endpoint a, Endpoint b, Runnable send) {
        assertAllocatesNothing(a, b, () -> b.postReceive(1, 0, 2 * LENGTH), send);
    }

    private static void assertAllocatesNothing(Endpoint a, Endpoint b, Runnable receive, Runnable send) {
        long allocated = Allocations.inSteadyState("rdma4j-", () -> {
            for (int i = 0; i < MESSAGES; i++) {
                receive.run();
                send.run();
                Progress.awaitMessage(a.sendCq, b.receiveCq);
            }
        });
        assertThat(allocated).isZero();
    }
}
