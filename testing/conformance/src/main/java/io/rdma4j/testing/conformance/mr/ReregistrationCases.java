// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.mr;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.Capability;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.conformance.harness.RegionTraffic;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.Reregistration;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Cases for registrations that change between messages: those of {@code test_mr.MRTest}. */
public abstract class ReregistrationCases extends ConformanceCases {
    private static final int PAGE = 4096;
    private static final int BYTES = 4 * PAGE;
    private static final int OFFSET = 300;

    private QpPair pair;
    private MemorySegment memory;
    private MemoryRegion region;
    private RegionTraffic traffic;

    protected ReregistrationCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void prepare() {
        require(Capability.REREGISTRATION);
        pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        memory = pages();
        region = closing(pair.b().pd.registerMemory(memory, RegionTraffic.RIGHTS));
        traffic = new RegionTraffic(pair, region);
        traffic.everything(OFFSET);
    }

    private MemorySegment pages() {
        return target().allocate(BYTES, PAGE);
    }

    private void change(Reregistration change) {
        region.reregister(change);
    }

    private void assertHolds(MemorySegment where, int number) {
        Bytes.assertHolds(where.asSlice(OFFSET, RegionTraffic.LENGTH), number);
    }

    /** Resets and reconnects both sides after an error, as {@code restate_qps} of rdma-core does. */
    private void reconnect() {
        for (Endpoint side : List.of(pair.a(), pair.b())) {
            side.qp.modify(Endpoint.only(QpState.RESET));
            assertThat(side.sendCq.poll(1)).isEmpty();
            assertThat(side.receiveCq.poll(1)).isEmpty();
        }
        pair.connect(LinkSetup.DEFAULT);
    }

    /** {@code test_mr_rereg_access}, {@code test_mrex_rereg_access}. */
    @Test
    @Covers("MR-9")
    void messagesGoOnWithFewerRights() {
        int key = region.rkey();
        change(Reregistration.empty().withAccess(Set.of(AccessFlag.LOCAL_WRITE)));
        assertThat(traffic.sendInto(4, OFFSET)).isEqualTo(WcStatus.SUCCESS);
        traffic.sendFrom(4, OFFSET);
        assertHolds(memory, 4);
        assertThat(region.rkey()).isEqualTo(key);
    }

    /** {@code test_mr_rereg_access_bad_flow}. */
    @Test
    @Covers("MR-9")
    void aRightThatWasTakenBackIsGone() {
        change(Reregistration.empty().withAccess(Set.of(AccessFlag.LOCAL_WRITE)));
        memory.fill((byte) 0);
        assertThat(traffic.tryWriteInto(OFFSET)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        Bytes.assertUntouched(memory);
    }

    /** {@code test_mr_rereg_atomic}. */
    @Test
    @Covers("MR-9")
    void theRightToAtomicsComesAndGoes() {
        change(Reregistration.empty().withAccess(Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE)));
        assertThat(traffic.tryFetchAdd(0)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        change(Reregistration.empty().withAccess(RegionTraffic.RIGHTS));
        reconnect();
        traffic.fetchAdd(0);
    }

    /** {@code test_mr_rereg_pd}: the queue pair belongs to the old protection domain. */
    @Test
    @Covers("MR-8")
    void aRegionOfAnotherDomainIsOfNoUseUntilItIsBack() {
        ProtectionDomain other = closing(pair.b().context.allocatePd());
        int key = region.rkey();
        change(Reregistration.empty().withDomain(other));
        assertThat(region.protectionDomain()).isSameAs(other);
        assertThat(region.rkey()).isEqualTo(key);
        assertThat(traffic.sendInto(4, OFFSET)).isEqualTo(WcStatus.REM_OP_ERR);
        reconnect();
        assertThat(traffic.tryWriteInto(OFFSET)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        change(Reregistration.empty().withDomain(pair.b().pd));
        reconnect();
        traffic.everything(OFFSET);
    }

    /**
     * {@code test_mr_rereg_addr}, {@code test_mrex_rereg_addr}: a receive that was posted with the old address fails.
     */
    @Test
    @Covers("MR-7")
    void memoryCanBeExchanged() {
        long oldAddress = region.iova();
        int oldKey = region.rkey();
        MemorySegment elsewhere = pages();
        change(Reregistration.empty().withSegment(elsewhere));
        memory.fill((byte) 0);
        traffic.postReceive(oldAddress);
        pair.a().postSend(9, 0, RegionTraffic.LENGTH);
        assertThat(pair.a().awaitSends(1).getFirst().status()).isEqualTo(WcStatus.REM_OP_ERR);
        reconnect();
        traffic.everything(OFFSET);
        Bytes.assertUntouched(memory);
        pair.a()
                .qp
                .startSend()
                .rdmaWrite(oldKey, oldAddress)
                .sge(pair.a().mr.lkey(), pair.a().remote(0), 8)
                .complete();
        assertThat(pair.a().awaitSends(1).getFirst().status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
        Bytes.assertUntouched(memory);
    }

    /** {@code ib_rereg_phys_mr}, all at once. */
    @Test
    @Covers({"MR-6", "MR-7"})
    void memoryCanBecomeSeveralPieces() {
        MemorySegment first = pages().asSlice(PAGE - 200, 200);
        MemorySegment second = pages();
        change(Reregistration.empty()
                .withPieces(List.of(first, second), 0x10_0000L + PAGE - 200)
                .withAccess(RegionTraffic.RIGHTS)
                .withDomain(pair.b().pd));
        traffic.everything(50);
        traffic.writeInto(5, 50);
        MemorySegment whole = Arena.ofAuto().allocate(RegionTraffic.LENGTH);
        whole.copyFrom(first.asSlice(50));
        whole.asSlice(150).copyFrom(second.asSlice(0, RegionTraffic.LENGTH - 150));
        Bytes.assertHolds(whole, 5);
    }
}
