// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tests the statements of docs/provider.md about this small provider. */
class EchoProviderTest {
    private final Host host = Host.create("example");
    private final Context context = open();
    private final ProtectionDomain pd = context.allocatePd();
    private final CompletionChannel channel = context.createCompletionChannel();
    private final CompletionQueue cq = context.createCq(16, channel);
    private final QueuePair qp = pd.createQp(QpInitAttributes.builder(cq).build());
    private final MemorySegment memory = Arena.ofAuto().allocate(8192, 4096);
    private final MemoryRegion region = pd.registerMemory(memory, Set.of(AccessFlag.LOCAL_WRITE));

    private Context open() {
        host.register(new EchoProvider());
        return host.open("echo0");
    }

    private void connect() {
        qp.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .pkeyIndex(0)
                .port(1)
                .accessFlags(Set.of())
                .build());
        qp.modify(QpAttributes.builder()
                .state(QpState.RTR)
                .addressVector(AddressVector.roce(1, context.queryGid(1, 0), 0))
                .pathMtu(Mtu.MTU_1024)
                .destinationQpn(qp.qpn())
                .rqPsn(0)
                .maxDestRdAtomic(0)
                .minRnrTimer(1)
                .build());
        qp.modify(QpAttributes.builder()
                .state(QpState.RTS)
                .timeout(0)
                .retryCount(0)
                .rnrRetry(0)
                .sqPsn(0)
                .maxRdAtomic(0)
                .build());
    }

    private static void assertRefused(Errno errno, ThrowingCallable verb) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(verb)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    @Covers("GEN-3")
    void aMessageComesBackAndItsCompletionsRaiseAnEvent() throws InterruptedException {
        connect();
        memory.setString(0, "who is there");
        cq.requestNotification(false);
        qp.postSend(SendRequest.send().sge(region.sge(0, 16)).wrId(1).signaled().build());
        assertThat(cq.poll(2)).isEmpty();
        qp.postReceive(ReceiveRequest.of(2, region.sge(4096, 64)));

        assertThat(channel.getEvent()).isSameAs(cq);
        cq.acknowledgeEvents(1);
        assertThat(cq.poll(2)).extracting(WorkCompletion::wrId).containsExactly(2L, 1L);
        assertThat(memory.getString(4096)).isEqualTo("who is there");
    }

    /** The core does these checks; the provider contains none of them. */
    @Test
    @Covers({"GEN-8", "GEN-9"})
    void theCoreChecksCountsAndGuards() {
        assertRefused(
                Errno.EINVAL,
                () -> qp.postSend(SendRequest.send().sge(region.sge(0, 1)).build()));
        assertRefused(
                Errno.EINVAL,
                () -> qp.modify(QpAttributes.builder().state(QpState.RTS).build()));
        assertRefused(Errno.EINVAL, () -> context.createCq(2000));
        assertRefused(Errno.EINVAL, () -> pd.registerMemory(MemorySegment.ofArray(new byte[8]), Set.of()));
        assertRefused(Errno.EBUSY, cq::close);
        assertRefused(Errno.EBUSY, pd::close);
        assertRefused(Errno.EBUSY, context::close);
        assertRefused(Errno.EOPNOTSUPP, () -> pd.createSrq(SrqInitAttributes.basic(1, 1)));
        assertRefused(Errno.EOPNOTSUPP, () -> pd.createAddressHandle(AddressVector.roce(1, context.queryGid(1, 0), 0)));
        assertRefused(Errno.EOPNOTSUPP, context::openXrcDomain);
    }

    @Test
    void inTheErrorStateEverythingIsFlushed() {
        connect();
        qp.postSend(SendRequest.send().sge(region.sge(0, 16)).wrId(1).build());
        qp.modify(QpAttributes.builder().state(QpState.ERR).build());
        qp.postReceive(ReceiveRequest.of(2));

        assertThat(cq.poll(4))
                .extracting(WorkCompletion::status)
                .containsExactly(WcStatus.WR_FLUSH_ERR, WcStatus.WR_FLUSH_ERR);
    }
}
