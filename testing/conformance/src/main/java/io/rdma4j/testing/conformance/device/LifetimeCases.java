// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.device;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.conformance.harness.VerbsObjects;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WrOpcode;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Cases for dependencies between objects, the order of closing, and closed objects. */
public abstract class LifetimeCases extends ConformanceCases {
    protected LifetimeCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @Test
    @Covers({"GEN-19", "PD-3", "CQ-21", "QP-22", "UVERBS-41", "UVERBS-52"})
    void nothingIsClosedWhileItIsInUse() {
        Context context = context().device().open();
        CompletionChannel channel = context.createCompletionChannel();
        Endpoint all = new Endpoint(target(), context, EndpointSetup.DEFAULT.channel(channel));
        assertRefused(Errno.EBUSY, context.device().host()::close);
        assertRefused(Errno.EBUSY, context::close, context, "1 protection domain", "2 completion queues");
        assertRefused(Errno.EBUSY, channel::close, channel, "2 completion queues");
        assertRefused(Errno.EBUSY, all.pd::close, all.pd, "1 queue pair", "1 memory region");
        assertRefused(Errno.EBUSY, all.sendCq::close, all.sendCq, "1 queue pair");
        assertRefused(Errno.EBUSY, all.receiveCq::close, all.receiveCq, "1 queue pair");
        all.qp.close();
        assertRefused(Errno.EBUSY, all.pd::close, all.pd, "1 memory region");
        all.mr.close();
        all.pd.close();
        all.sendCq.close();
        assertRefused(Errno.EBUSY, channel::close, channel, "1 completion queue");
        all.receiveCq.close();
        assertRefused(Errno.EBUSY, context::close, context, "1 completion channel");
        channel.close();
        context.close();
        context.close();
    }

    /** All kinds of objects of a protection domain, one after the other. */
    @Test
    @Covers({"PD-3", "PD-4"})
    void aDomainIsNotClosedWhileItHasObjectsOfAnyKind() {
        VerbsObjects objects = closing(new VerbsObjects(target(), context()));
        ProtectionDomain pd = objects.get(ProtectionDomain.class);
        assertKeepsOpen(pd, objects, QueuePair.class, "1 queue pair");
        assertKeepsOpen(pd, objects, SharedReceiveQueue.class, "1 shared receive queue");
        assertKeepsOpen(pd, objects, AddressHandle.class, "1 address handle");
        assertKeepsOpen(pd, objects, MemoryWindow.class, "1 memory window");
        assertKeepsOpen(pd, objects, MemoryRegion.class, "1 memory region");
    }

    private static <T extends AutoCloseable> void assertKeepsOpen(
            ProtectionDomain pd, VerbsObjects objects, Class<T> type, String named) {
        if (objects.has(type)) {
            assertRefused(Errno.EBUSY, pd::close, pd, named);
            assertThatCode(objects.get(type)::close).doesNotThrowAnyException();
        }
    }

    @Test
    void closedObjectsRefuseEverything() {
        Endpoint gone = new Endpoint(target(), context(), EndpointSetup.DEFAULT);
        gone.close();
        gone.close();
        assertRefused(Errno.EINVAL, () -> gone.postSend(1, 0, 8));
        assertRefused(Errno.EINVAL, () -> gone.postReceive(1, 0, 8));
        assertRefused(Errno.EINVAL, gone.qp::query);
        assertRefused(Errno.EINVAL, () -> gone.qp.queryDataInOrder(WrOpcode.SEND));
        assertRefused(Errno.EINVAL, () -> gone.qp.modify(Endpoint.only(QpState.RESET)));
        assertRefused(Errno.EINVAL, () -> gone.sendCq.poll(1));
        assertRefused(Errno.EINVAL, gone.sendCq::startPoll);
        assertRefused(Errno.EINVAL, () -> gone.sendCq.requestNotification(false));
        assertRefused(Errno.EINVAL, () -> gone.pd.registerMemory(gone.memory, Set.of()));
        CompletionQueue cq = closing(context().createCq(1));
        assertRefused(
                Errno.EINVAL,
                () -> gone.pd.createQp(QpInitAttributes.builder(cq).build()));
    }

    @Test
    void aClosedContextRefusesEverything() {
        Context closed = context().device().open();
        closed.close();
        assertRefused(Errno.EINVAL, closed::queryDevice);
        assertRefused(Errno.EINVAL, () -> closed.queryPort(1));
        assertRefused(Errno.EINVAL, closed::allocatePd);
        assertRefused(Errno.EINVAL, () -> closed.createCq(1));
        assertRefused(Errno.EINVAL, closed::createCompletionChannel);
    }

    /**
     * Requests in the queues of a closed queue pair are dropped without completion, and do not change memory
     * afterwards.
     */
    @Test
    @Covers("RXE-241")
    void aQueuePairIsClosedWithRequestsInItsQueues() {
        QpPair pair = connected();
        Endpoint b = pair.b();
        for (int i = 0; i < 10; i++) {
            b.postReceive(i, 0, 4096);
            pair.a().postSend(i, 0, 4096);
        }
        b.qp.close();
        b.mr.close();
        b.memory.fill((byte) 0);
        long completed = b.receiveCq.poll(100).size();
        assertThat(completed).isBetween(0L, 10L);
        pair.a().postSend(11, 0, 4096);
        assertThat(b.receiveCq.poll(1)).isEmpty();
        Bytes.assertUntouched(b.memory);
    }

    /** The number of a destroyed queue pair is not reused immediately. */
    @Test
    void queuePairsHaveNumbersOfTheirOwn() {
        Endpoint first = new Endpoint(target(), context(), EndpointSetup.DEFAULT);
        Endpoint second = new Endpoint(target(), context(), EndpointSetup.DEFAULT);
        assertThat(first.qp.qpn()).isNotEqualTo(second.qp.qpn());
        first.close();
        try (Endpoint third = new Endpoint(target(), context(), EndpointSetup.DEFAULT)) {
            assertThat(third.qp.qpn()).isNotEqualTo(second.qp.qpn()).isNotEqualTo(first.qp.qpn());
        }
        second.close();
    }
}
