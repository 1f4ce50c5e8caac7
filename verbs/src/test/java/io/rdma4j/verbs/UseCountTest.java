// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.values.QpType;
import java.util.List;
import org.junit.jupiter.api.Test;

class UseCountTest {
    private final Fixture fixture = new Fixture();
    private final Context context = fixture.context;

    @Test
    @Covers({"PD-3", "PD-4", "UVERBS-52"})
    void aDomainWithMemoryAndQueuePairsIsBusyAndSaysWithWhat() {
        MemoryRegion first = fixture.memory(64);
        MemoryRegion second = fixture.memory(64);
        CompletionQueue cq = context.createCq(8);
        QueuePair qp = fixture.qp(cq);

        assertRefused(Errno.EBUSY, "2 memory regions, 1 queue pair", fixture.pd::close);
        first.close();
        second.close();
        assertRefused(Errno.EBUSY, "1 queue pair", fixture.pd::close);
        qp.close();
        fixture.pd.close();
    }

    @Test
    @Covers({"MR-31", "MR-33", "RXE-35"})
    void aRegistrationThatTheDeviceRefusesIsUndone() {
        fixture.device.refuseNext(Errno.ENOMEM);
        assertRefused(Errno.ENOMEM, "refused", () -> fixture.memory(64));
        for (int i = 0; i < 6; i++) {
            fixture.memory(64);
        }
        assertRefused(Errno.ENOMEM, "max_mr", () -> fixture.memory(64));
        assertRefused(Errno.EBUSY, "6 memory regions:", fixture.pd::close);
    }

    @Test
    @Covers({"CQ-24", "QP-22"})
    void aCompletionQueueIsBusyWhileAQueuePairUsesItForEitherDirection() {
        CompletionQueue sends = context.createCq(8);
        CompletionQueue receives = context.createCq(8);
        QueuePair qp =
                fixture.pd.createQp(QpInitAttributes.builder(sends, receives).build());

        assertRefused(Errno.EBUSY, "1 queue pair", sends::close);
        assertRefused(Errno.EBUSY, "1 queue pair", receives::close);
        qp.close();
        sends.close();
        receives.close();
    }

    @Test
    @Covers("CQ-21")
    void aChannelIsBusyWhileACompletionQueueUsesIt() {
        CompletionChannel channel = context.createCompletionChannel();
        CompletionQueue cq = context.createCq(8, channel);

        assertRefused(Errno.EBUSY, "1 completion queue", channel::close);
        cq.close();
        channel.close();
    }

    @Test
    @Covers("UVERBS-41")
    void aContextIsBusyWhileAnythingMadeFromItIsOpen() {
        CompletionChannel channel = context.createCompletionChannel();
        CompletionQueue cq = context.createCq(8);

        assertRefused(
                Errno.EBUSY,
                "1 protection domain, 1 completion channel, 1 completion queue: close them first",
                context::close);
        fixture.pd.close();
        channel.close();
        cq.close();
        context.close();
        fixture.host.close();
    }

    @Test
    void closingTwiceIsHarmless() throws Exception {
        MemoryRegion region = fixture.memory(64);
        CompletionChannel channel = context.createCompletionChannel();
        CompletionQueue cq = context.createCq(8, channel);
        QueuePair qp = fixture.qp(cq);

        for (AutoCloseable object : List.of(qp, cq, channel, region, fixture.pd, context, fixture.host)) {
            object.close();
            object.close();
        }
    }

    @Test
    void aFailedCreationLeavesNoUseBehind() {
        CompletionQueue cq = context.createCq(8);
        assertRefused(
                Errno.EOPNOTSUPP,
                "RAW_PACKET",
                () -> fixture.pd.createQp(
                        QpInitAttributes.builder(cq).type(QpType.RAW_PACKET).build()));
        CompletionChannel channel = context.createCompletionChannel();
        for (int i = 0; i < 4; i++) {
            context.createCq(1);
        }
        assertRefused(Errno.ENOMEM, "max_cq", () -> context.createCq(1, channel));

        cq.close();
        channel.close();
        fixture.pd.close();
    }

    @Test
    void closedObjectsRefuseToWork() {
        MemoryRegion region = fixture.memory(64);
        CompletionQueue cq = context.createCq(8);
        QueuePair qp = fixture.qp(cq);
        qp.close();
        cq.close();
        region.close();
        fixture.pd.close();

        assertRefused(Errno.EINVAL, "is closed", qp::query);
        assertRefused(
                Errno.EINVAL, "is closed", () -> qp.modify(Fixture.toInit().build()));
        assertRefused(Errno.EINVAL, "is closed", qp::startSend);
        assertRefused(Errno.EINVAL, "is closed", qp::startReceive);
        assertRefused(
                Errno.EINVAL, "is closed", () -> qp.postSend(SendRequest.send().build()));
        assertRefused(Errno.EINVAL, "is closed", cq::startPoll);
        assertRefused(Errno.EINVAL, "is closed", () -> cq.poll(1));
        assertRefused(Errno.EINVAL, "is closed", () -> cq.requestNotification(false));
        assertRefused(Errno.EINVAL, "is closed", () -> region.sge(0, 1));
        assertRefused(Errno.EINVAL, "is closed", () -> fixture.memory(64));
        CompletionQueue another = context.createCq(8);
        assertRefused(Errno.EINVAL, "is closed", () -> fixture.qp(another));
        another.close();
        context.close();
        assertRefused(Errno.EINVAL, "is closed", context::queryDevice);
        assertRefused(Errno.EINVAL, "is closed", context::allocatePd);
        assertRefused(Errno.EINVAL, "is closed", context::createCompletionChannel);
    }

    @Test
    @Covers("UVERBS-40")
    void objectsOfAnotherContextAreRefused() {
        Context other = fixture.host.open("loop0");
        CompletionQueue foreign = other.createCq(8);
        CompletionQueue own = context.createCq(8);
        CompletionChannel channel = other.createCompletionChannel();

        assertRefused(Errno.EINVAL, "belongs to another context", () -> fixture.qp(foreign));
        assertRefused(
                Errno.EINVAL,
                "belongs to another context",
                () -> fixture.pd.createQp(QpInitAttributes.builder(own, foreign).build()));
        assertRefused(Errno.EINVAL, "belongs to another context", () -> context.createCq(8, channel));
        foreign.close();
        channel.close();
        other.close();
    }
}
