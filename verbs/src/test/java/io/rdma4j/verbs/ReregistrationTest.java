// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WindowType;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReregistrationTest {
    private final Fixture fixture = new Fixture();
    private final MemoryRegion region = fixture.bindable(4096);
    private final ProtectionDomain other = fixture.context.allocatePd();

    @Test
    void everythingCanChangeAtOnce() {
        MemorySegment elsewhere = fixture.pages(2);

        region.reregister(Reregistration.empty()
                .withSegment(elsewhere, 0x10_0000)
                .withDomain(other)
                .withAccess(Set.of(AccessFlag.REMOTE_READ)));

        assertThat(region.segment()).isSameAs(elsewhere);
        assertThat(region.iova()).isEqualTo(0x10_0000);
        assertThat(region.lengthBytes()).isEqualTo(elsewhere.byteSize());
        assertThat(region.access()).containsExactly(AccessFlag.REMOTE_READ);
        assertThat(region.protectionDomain()).isSameAs(other);
        assertThat(region.sge(0, 8).address()).isEqualTo(0x10_0000);
    }

    @Test
    @Covers("MR-6")
    void memoryCanBecomeAListOfPieces() {
        List<MemorySegment> pieces = List.of(fixture.pages(1), fixture.pages(2));

        region.reregister(Reregistration.empty().withPieces(pieces, 0x10_0000));

        assertThat(region.pieces()).isEqualTo(pieces);
        assertThat(region.iova()).isEqualTo(0x10_0000);
        assertThat(region.lengthBytes()).isEqualTo(3 * 4096);
        refused("at least one piece", Reregistration.empty().withPieces(List.of(), 0));
        assertThat(region.pieces()).isEqualTo(pieces);
    }

    @Test
    void whatIsNotNamedStays() {
        MemorySegment before = region.segment();
        region.reregister(Reregistration.empty().withAccess(Set.of()));

        assertThat(region.segment()).isSameAs(before);
        assertThat(region.iova()).isEqualTo(before.address());
        assertThat(region.protectionDomain()).isSameAs(fixture.pd);
        assertThat(region.access()).isEmpty();
    }

    @Test
    void theDomainsUseCountsMoveWithTheRegion() {
        region.reregister(Reregistration.empty().withDomain(other));
        fixture.pd.close();
        assertRefused(Errno.EBUSY, "1 memory region", other::close);

        region.close();
        other.close();
    }

    @Test
    void theDeviceUsesTheNewDomain() {
        CompletionQueue cq = fixture.context.createCq(4);
        QueuePair qp = fixture.qp(cq);
        Fixture.connect(qp, qp);
        region.reregister(Reregistration.empty().withDomain(other));
        qp.postReceive(ReceiveRequest.of(1));

        qp.postSend(SendRequest.send().wrId(2).sge(region.sge(0, 8)).build());

        assertThat(cq.poll(1).getFirst().status()).isEqualTo(WcStatus.LOC_PROT_ERR);
    }

    @Test
    void whatRegistrationRefusesIsRefusedHereAndChangesNothing() {
        Context foreignContext = fixture.host.open("loop0");
        ProtectionDomain foreign = foreignContext.allocatePd();
        Reregistration none = Reregistration.empty();

        refused("nothing is to change", none);
        refused("REMOTE_WRITE needs LOCAL_WRITE", none.withAccess(Set.of(AccessFlag.REMOTE_WRITE)));
        refused("heap memory", none.withSegment(MemorySegment.ofArray(new byte[8]), 0));
        refused("same offset within a page", none.withSegment(fixture.pages(1), 1));
        refused("read-only segment", none.withSegment(fixture.pages(1).asReadOnly()));
        refused("belongs to another context", none.withDomain(foreign));
        other.close();
        refused("is closed", none.withDomain(other));

        assertThat(region.protectionDomain()).isSameAs(fixture.pd);
        assertThat(region.access()).contains(AccessFlag.MW_BIND);
        region.close();
        refused("is closed", none.withAccess(Set.of()));
    }

    private void refused(String message, Reregistration change) {
        assertRefused(Errno.EINVAL, message, () -> region.reregister(change));
    }

    @Test
    void aRefusalOfTheDeviceLeavesTheUseCountsAlone() {
        CompletionQueue cq = fixture.context.createCq(4);
        QueuePair qp = fixture.qp(cq);
        Fixture.connect(qp, qp);
        MemoryWindow window = fixture.pd.allocateWindow(WindowType.TYPE_1);
        window.bind(qp, 1, Set.of(), WindowBinding.of(region, region.iova(), 8, Set.of()));

        assertRefused(
                Errno.EBUSY,
                "a memory window is bound",
                () -> region.reregister(Reregistration.empty().withDomain(other)));

        assertThat(region.protectionDomain()).isSameAs(fixture.pd);
        other.close();
    }
}
