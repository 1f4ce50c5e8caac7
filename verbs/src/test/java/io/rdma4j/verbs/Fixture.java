// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.loop.LoopDevice;
import io.rdma4j.verbs.loop.LoopProvider;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** A host with one loop device, and the objects that a test creates from it. */
final class Fixture {
    final LoopProvider provider = new LoopProvider("loop0");
    final LoopDevice device = provider.device(0);
    final Host host = Host.create("test");
    final Context context;
    final ProtectionDomain pd;

    Fixture() {
        host.register(provider);
        context = host.open("loop0");
        pd = context.allocatePd();
    }

    QueuePair qp(CompletionQueue cq) {
        return pd.createQp(QpInitAttributes.builder(cq)
                .capabilities(new QpCapabilities(7, 7, 2, 2, 32))
                .build());
    }

    MemoryRegion memory(int bytes) {
        return pd.registerMemory(Arena.ofAuto().allocate(bytes, 4096), Set.of(AccessFlag.LOCAL_WRITE));
    }

    /** A region with the right MW_BIND. */
    MemoryRegion bindable(int bytes) {
        return pd.registerMemory(
                Arena.ofAuto().allocate(bytes, 4096), Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND));
    }

    /** Memory that begins and ends at page boundaries. */
    MemorySegment pages(int count) {
        return Arena.ofAuto().allocate((long) count * FastMemoryRegion.PAGE_BYTES, FastMemoryRegion.PAGE_BYTES);
    }

    /** A path from port 1 to itself. */
    AddressVector path() {
        return AddressVector.roce(1, context.queryGid(1, 1), 1);
    }

    static QpAttributes.Builder toInit() {
        return QpAttributes.builder().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(Set.of());
    }

    static QpAttributes.Builder toRtr(int destinationQpn) {
        return QpAttributes.builder()
                .state(QpState.RTR)
                .addressVector(AddressVector.roce(1, Gid.ofIpv4(0x0A00_0001), 1))
                .pathMtu(Mtu.MTU_1024)
                .destinationQpn(destinationQpn)
                .rqPsn(1)
                .maxDestRdAtomic(1)
                .minRnrTimer(12);
    }

    static QpAttributes.Builder toRts() {
        return QpAttributes.builder()
                .state(QpState.RTS)
                .timeout(14)
                .retryCount(7)
                .rnrRetry(7)
                .sqPsn(1)
                .maxRdAtomic(1);
    }

    static void connect(QueuePair qp, QueuePair peer) {
        qp.modify(toInit().build());
        qp.modify(toRtr(peer.qpn()).build());
        qp.modify(toRts().build());
    }

    static MemorySegment text(String text) {
        return Arena.ofAuto().allocateFrom(text);
    }
}
