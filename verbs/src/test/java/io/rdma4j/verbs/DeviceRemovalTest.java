// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.loop.LoopProvider;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WindowType;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Removal of a device that is in use. */
class DeviceRemovalTest {
    private final Host host = Host.create("test");

    DeviceRemovalTest() {
        host.register(new LoopProvider("loop0"));
    }

    @Test
    @Covers({"DEV-4", "UVERBS-53"})
    void whatNeedsTheDeviceFailsWithEioAndTheRestGoesOn() throws InterruptedException {
        Device device = host.device("loop0");
        Context context = device.open();
        ProtectionDomain pd = context.allocatePd();
        CompletionQueue cq = context.createCq(4);
        QueuePair qp = pd.createQp(QpInitAttributes.builder(cq).build());
        Arena arena = Arena.ofShared();
        MemoryRegion region = pd.registerMemory(arena.allocate(64), Set.of());
        QpAddress address = QpAddress.of(qp);
        AddressVector path = AddressVector.roce(1, address.gid(), 0);

        host.deleteLink("loop0");

        assertThat(device.isPresent()).isFalse();
        assertThat(context.getAsyncEvent().type()).isEqualTo(EventType.DEVICE_FATAL);
        assertThat(context.getAsyncEvent(Duration.ZERO)).isNull();
        for (ThrowingCallable verb : List.<ThrowingCallable>of(
                context::queryDevice,
                () -> context.queryPort(1),
                () -> context.queryGid(1, 0),
                () -> context.pkeyIndex(1, 0xFFFF),
                context::allocatePd,
                context::createCompletionChannel,
                () -> context.createCq(4),
                context::openXrcDomain,
                () -> context.allocateDeviceMemory(1, 0),
                () -> context.allocateBuffer(1, 1, arena),
                () -> pd.createQp(QpInitAttributes.builder(cq).build()),
                () -> pd.createSrq(SrqInitAttributes.basic(1, 1)),
                () -> pd.createAddressHandle(path),
                () -> pd.registerMemory(arena.allocate(64), Set.of()),
                () -> pd.allocateMemory(64, Set.of()),
                () -> pd.allocateWindow(WindowType.TYPE_1),
                () -> region.reregister(Reregistration.empty().withAccess(Set.of())),
                qp::query,
                () -> qp.modify(QpAttributes.builder().state(QpState.RESET).build()),
                () -> qp.connect(address, address),
                () -> cq.resize(8))) {
            Refusals.assertRefused(Errno.EIO, "removed", verb);
        }
        assertThat(cq.poll(1)).isEmpty();
        region.close();
        qp.close();
        cq.close();
        pd.close();
        context.close();
        arena.close();
    }

    @Test
    void aDeviceThatIsGoneOpensNoMore() {
        Device device = host.device("loop0");
        host.deleteLink("loop0");
        Refusals.assertRefused(Errno.ENODEV, "loop0 is gone", device::open);
        Refusals.assertRefused(Errno.ENODEV, "no device \"loop0\"", () -> host.deleteLink("loop0"));
    }

    @Test
    void oneOfTheSameNameThatComesLaterIsAnotherOne() {
        Device first = host.device("loop0");
        host.deleteLink("loop0");
        Device second = host.newLink("loop0", "loop", "up0");

        assertThat(second).isNotSameAs(first);
        assertThat(first.isPresent()).isFalse();
        try (Context context = second.open()) {
            assertThat(context.queryDevice().physicalPortCount()).isPositive();
        }
    }
}
