// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.values.Owner;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.Resource;
import io.rdma4j.verbs.values.ResourceKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ResourceRegisterTest {
    private final Fixture fixture = new Fixture();
    private final Device device = fixture.context.device();

    private List<ResourceKind> kinds() {
        return device.resources().stream().map(Resource::kind).toList();
    }

    @Test
    @Covers("UVERBS-51")
    void liveObjectsAreListedByKindAndOwnerUntilTheyAreClosed() {
        Context other = device.open(new Owner(12, "somebody"));
        ProtectionDomain domain = other.allocatePd();
        CompletionQueue cq = fixture.context.createCq(8);
        QueuePair qp = fixture.qp(cq);
        MemoryRegion region = fixture.memory(64);
        SharedReceiveQueue srq = fixture.pd.createSrq(SrqInitAttributes.basic(4, 1));

        assertThat(kinds())
                .containsExactly(
                        ResourceKind.CONTEXT,
                        ResourceKind.PD,
                        ResourceKind.CONTEXT,
                        ResourceKind.PD,
                        ResourceKind.CQ,
                        ResourceKind.QP,
                        ResourceKind.MR,
                        ResourceKind.SRQ);
        Resource second = device.resources().get(3);
        assertThat(second).isEqualTo(new Resource(ResourceKind.PD, 2, other.owner(), Map.of("users", 0, "ctxn", 2)));
        assertThat(second.owner()).isEqualTo(new Owner(12, "somebody"));
        Resource pair = device.resources().get(5);
        assertThat(pair.id()).isEqualTo(qp.qpn());
        assertThat(pair.owner().pid()).isEqualTo(ProcessHandle.current().pid());
        assertThat(pair.details()).containsEntry("state", QpState.RESET).containsEntry("pdn", 1);

        List.of(srq, region, qp, cq, domain, other).forEach(ResourceRegisterTest::close);
        assertThat(kinds()).containsExactly(ResourceKind.CONTEXT, ResourceKind.PD);
    }

    private static void close(AutoCloseable object) {
        try {
            object.close();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** An object is not in the register before it is complete. */
    @Test
    @Covers("UVERBS-51")
    void whatTheDeviceRefusedWasNeverThere() {
        fixture.device.refuseNext(Errno.ENOMEM);
        assertRefused(Errno.ENOMEM, "refused", fixture.context::allocatePd);

        assertThat(kinds()).containsExactly(ResourceKind.CONTEXT, ResourceKind.PD);
    }

    /** Another thread does not see the object too early, and cannot close its parent meanwhile. */
    @Test
    @Covers("UVERBS-49")
    void whileAnObjectIsMadeItsParentStaysAndItIsNotSeen() {
        List<ResourceKind> seen = new ArrayList<>();
        fixture.device.whileAsked(() -> CompletableFuture.runAsync(() -> {
                    assertRefused(Errno.EBUSY, "1 memory region", fixture.pd::close);
                    seen.addAll(kinds());
                })
                .join());

        MemoryRegion region = fixture.memory(64);

        assertThat(seen).containsExactly(ResourceKind.CONTEXT, ResourceKind.PD);
        assertThat(kinds()).containsExactly(ResourceKind.CONTEXT, ResourceKind.PD, ResourceKind.MR);
        fixture.device.refuseNext(Errno.EAGAIN);
        assertRefused(Errno.EAGAIN, "refused", () -> fixture.memory(64));
        region.close();
        assertThat(kinds()).containsExactly(ResourceKind.CONTEXT, ResourceKind.PD);
        fixture.pd.close();
    }

    @Test
    @Covers("UVERBS-30")
    void aContextThatTheDeviceRefusesIsUndone() {
        fixture.device.refuseNext(Errno.ENOMEM);
        assertRefused(Errno.ENOMEM, "refused", device::open);
        assertThat(kinds()).containsExactly(ResourceKind.CONTEXT, ResourceKind.PD);

        fixture.device.whileAsked(() -> assertThat(kinds()).containsExactly(ResourceKind.CONTEXT, ResourceKind.PD));
        Context second = device.open();
        assertThat(second.device()).isSameAs(device);
        assertThat(kinds()).containsExactly(ResourceKind.CONTEXT, ResourceKind.PD, ResourceKind.CONTEXT);

        second.close();
        fixture.pd.close();
        fixture.context.close();
        fixture.host.close();
    }

    /** Numbers are never reused, so an older listing cannot refer to another object. */
    @Test
    void aNumberIsNotGivenAgain() {
        fixture.context.allocatePd().close();
        fixture.context.allocatePd();

        assertThat(device.resources()).extracting(Resource::id).containsExactly(1, 1, 3);
    }

    @Test
    void objectsOfOtherModulesAreListedUntilTheirContextIsClosed() {
        Resource id = new Resource(ResourceKind.CM_ID, 3, Owner.current(), Map.of());
        try (Context context = device.open()) {
            context.addResources(() -> List.of(id));
            assertThat(device.resources()).endsWith(id);
        }
        assertThat(device.resources()).doesNotContain(id);
    }
}
