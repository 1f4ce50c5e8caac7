// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MemoryKeys;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WindowType;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MemoryWindowTest {
    private static final Set<SendFlag> SIGNALED = Set.of(SendFlag.SIGNALED);

    private final Fixture fixture = new Fixture();
    private final CompletionQueue cq = fixture.context.createCq(16);
    private final QueuePair qp = fixture.qp(cq);
    private final MemoryRegion region = fixture.bindable(4096);
    private final MemoryWindow window = fixture.pd.allocateWindow(WindowType.TYPE_1);

    private WindowBinding part(long offset, long length, AccessFlag... access) {
        return WindowBinding.of(region, region.iova() + offset, length, Set.of(access));
    }

    private void connect() {
        Fixture.connect(qp, qp);
    }

    @Test
    @Covers({"MW-5", "MW-7"})
    void aBindGivesANewKeyAtOnceAndACompletionLater() {
        connect();
        int before = window.rkey();

        int key = window.bind(qp, 7, SIGNALED, part(64, 128, AccessFlag.REMOTE_READ));

        assertThat(window.rkey()).isEqualTo(key).isEqualTo(MemoryKeys.next(before));
        assertThat(key).isNotEqualTo(before);
        assertThat(key >>> 8).isEqualTo(before >>> 8);
        assertThat(cq.poll(2)).singleElement().satisfies(bound -> {
            assertThat(bound.wrId()).isEqualTo(7);
            assertThat(bound.opcode()).isEqualTo(WcOpcode.BIND_MW);
        });
    }

    @Test
    void aRegionIsBusyWhileAWindowIsBoundToIt() {
        connect();
        window.bind(qp, 1, Set.of(), part(0, 4096, AccessFlag.REMOTE_READ));

        assertRefused(Errno.EBUSY, "a memory window is bound", region::close);
        assertThat(region.sge(0, 1).lkey()).isEqualTo(region.lkey());

        window.bind(qp, 2, Set.of(), WindowBinding.none());
        region.close();
    }

    @Test
    void aWindowThatGoesAwayReleasesItsRegion() {
        connect();
        window.bind(qp, 1, Set.of(), part(0, 4096, AccessFlag.REMOTE_READ));
        assertRefused(Errno.EBUSY, "1 memory window", fixture.pd::close);

        window.close();
        window.close();

        region.close();
        assertRefused(Errno.EINVAL, "is closed", () -> window.bind(qp, 1, SIGNALED, WindowBinding.none()));
    }

    @Test
    @Covers("MW-6")
    void onlyTwoFlagsAreTaken() {
        connect();
        WindowBinding binding = part(0, 8, AccessFlag.REMOTE_READ);

        assertRefused(
                Errno.EINVAL,
                "takes only [FENCE, SIGNALED]",
                () -> window.bind(qp, 1, Set.of(SendFlag.SOLICITED), binding));
        assertRefused(Errno.EINVAL, "takes only", () -> window.bind(qp, 1, Set.of(SendFlag.INLINE), binding));
        window.bind(qp, 1, Set.of(SendFlag.FENCE, SendFlag.SIGNALED), binding);
    }

    @Test
    @Covers({"MW-3", "MW-9"})
    void whatCannotBeBoundIsRefusedAndTheKeyStays() {
        connect();
        int before = window.rkey();
        MemoryRegion unbindable = fixture.memory(64);
        MemoryRegion readOnly = fixture.pd.registerMemory(fixture.pages(1), Set.of(AccessFlag.MW_BIND));
        ProtectionDomain other = fixture.context.allocatePd();
        MemoryRegion foreign = other.registerMemory(fixture.pages(1), Set.of(AccessFlag.MW_BIND));

        refused("without MW_BIND", WindowBinding.of(unbindable, unbindable.iova(), 8, Set.of()));
        refused("another protection domain", WindowBinding.of(foreign, foreign.iova(), 8, Set.of()));
        refused("need LOCAL_WRITE", WindowBinding.of(readOnly, readOnly.iova(), 8, Set.of(AccessFlag.REMOTE_WRITE)));
        refused("LOCAL_WRITE is no right of a window", part(0, 8, AccessFlag.LOCAL_WRITE));
        refused("do not lie in", part(4090, 8));
        refused("do not lie in", part(-1, 8));
        refused("do not lie in", part(0, -1));
        refused("do not lie in", part(Long.MAX_VALUE, Long.MAX_VALUE));
        refused("8 bytes need a memory region", new WindowBinding(null, 0, 8, Set.of()));
        MemoryWindow type2 = fixture.pd.allocateWindow(WindowType.TYPE_2);
        assertRefused(Errno.EINVAL, "by a work request", () -> type2.bind(qp, 1, SIGNALED, part(0, 8)));
        assertRefused(Errno.EINVAL, "use its method bind", () -> SendRequest.bindWindow(window, 1, part(0, 8)));
        QueuePair otherQp = other.createQp(QpInitAttributes.builder(cq).build());
        assertRefused(
                Errno.EINVAL, "different protection domains", () -> window.bind(otherQp, 1, SIGNALED, part(0, 8)));
        region.close();
        refused("is closed", part(0, 8));

        assertThat(window.rkey()).isEqualTo(before);
        assertThat(cq.poll(1)).isEmpty();
    }

    private void refused(String message, WindowBinding binding) {
        assertRefused(Errno.EINVAL, message, () -> window.bind(qp, 1, SIGNALED, binding));
    }

    @Test
    void aQueuePairThatIsNotReadyBindsNothing() {
        int before = window.rkey();

        assertRefused(Errno.EINVAL, "RESET", () -> window.bind(qp, 1, SIGNALED, part(0, 8)));

        assertThat(window.rkey()).isEqualTo(before);
    }

    @Test
    void aWindowOfTypeTwoIsBoundByWorkRequest() {
        connect();
        MemoryWindow type2 = fixture.pd.allocateWindow(WindowType.TYPE_2);
        int key = MemoryKeys.withVariant(type2.rkey(), 0x42);

        qp.postSend(SendRequest.bindWindow(type2, key, part(0, 8, AccessFlag.REMOTE_READ))
                .signaled()
                .build());

        assertThat(cq.poll(1)).extracting(WorkCompletion::opcode).containsExactly(WcOpcode.BIND_MW);
        assertRefused(Errno.EBUSY, "a memory window is bound", region::close);
    }

    @Test
    void theVariantOfAKeyWrapsWithoutTouchingItsIndex() {
        assertThat(MemoryKeys.next(0x1234_56FF)).isEqualTo(0x1234_5600);
        assertThat(MemoryKeys.next(0xFFFF_FFFE)).isEqualTo(0xFFFF_FFFF);
        assertThat(MemoryKeys.withVariant(0x1234_56FF, 0xABCD)).isEqualTo(0x1234_56CD);
    }

    @Test
    void aDeviceHasTheTypesOfWindowsThatItClaims() {
        fixture.device.lose(DeviceCapability.MEM_WINDOW);
        assertRefused(Errno.EOPNOTSUPP, "MEM_WINDOW", () -> fixture.pd.allocateWindow(WindowType.TYPE_1));
        fixture.pd.allocateWindow(WindowType.TYPE_2);
        fixture.device.lose(DeviceCapability.MEM_WINDOW_TYPE_2B);
        assertRefused(
                Errno.EOPNOTSUPP,
                "MEM_WINDOW_TYPE_2A or MEM_WINDOW_TYPE_2B",
                () -> fixture.pd.allocateWindow(WindowType.TYPE_2));
        fixture.device.limit(DeviceLimit.MAX_MW, 0);
        assertRefused(Errno.EOPNOTSUPP, "max_mw is 0", () -> fixture.pd.allocateWindow(WindowType.TYPE_2));
    }
}
