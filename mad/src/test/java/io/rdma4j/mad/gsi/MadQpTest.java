// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad.gsi;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.mad.MadAddress;
import io.rdma4j.mad.MadAgent;
import io.rdma4j.mad.MadAgentSetup;
import io.rdma4j.mad.MadCounter;
import io.rdma4j.mad.MadRegistration;
import io.rdma4j.mad.MadSend;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The queue pair of a MAD layer, with a real device: errors, length and Q_Key of datagrams. */
class MadQpTest {
    /** A work request number that the MAD layer does not use. */
    private static final long FOREIGN = 5_000;

    private static final int MAX_BYTES = 8192;

    private final TwoHosts hosts = new TwoHosts(true, TwoHosts.PLAIN, 3);
    private final GeneralServices b = hosts.b.services();
    private final List<WcStatus> results = new ArrayList<>();
    private final List<Long> received = new ArrayList<>();
    private final CompletionQueue cq = hosts.a.context.createCq(2000);
    private final ProtectionDomain pd = hosts.a.context.allocatePd();
    private final MemoryRegion mr = pd.allocateMemory(MAX_BYTES, Set.of(AccessFlag.LOCAL_WRITE));
    private final QueuePair qp = pd.createQp(QpInitAttributes.builder(cq)
            .type(QpType.GSI)
            .port(1)
            .capabilities(QpCapabilities.of(100, 200))
            .build());
    private final AddressHandle toB = pd.createAddressHandle(hosts.b.address().vector());
    private MadQp carrier;
    private MadAgent client;

    @BeforeEach
    void start() {
        qp.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .pkeyIndex(0)
                .qkey(MadAddress.GSI_QKEY)
                .build());
        carrier = new MadQp(hosts.a.context, 1, qp, () -> {}, 5);
        qp.modify(QpAttributes.builder().state(QpState.RTR).build());
        qp.modify(QpAttributes.builder().state(QpState.RTS).sqPsn(0).build());
        hosts.drive(nowNs -> {
            List<WorkCompletion> done = cq.poll(1000);
            done.forEach(completion -> carrier.process(completion, nowNs));
            carrier.reportFailed(nowNs);
            long nextNs = carrier.mad().advance(nowNs);
            carrier.mad().runHandlers();
            return done.isEmpty() ? nextNs : nowNs;
        });
        client = carrier.mad()
                .register(MadAgentSetup.DEFAULT
                        .onSent((_, status) -> results.add(status))
                        .onReceived((_, mad) -> mad.close()));
        b.register(MadAgentSetup.DEFAULT
                .onReceived((_, mad) -> {
                    received.add(Mad.TRANSACTION_ID.get(mad.datagram(), 0));
                    mad.close();
                })
                .registration(MadRegistration.of(MadClass.PERF_MGT, 3)));
    }

    @AfterEach
    void close() {
        qp.close();
        toB.close();
        carrier.close();
        mr.close();
        cq.close();
        pd.close();
        b.close();
        hosts.close();
    }

    private void send() {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        Mad.write(mad, 0, MadClass.PERF_MGT, MadMethod.SEND.code(), 0x12, client.nextTransactionId());
        client.send(MadSend.of(hosts.b.address(), mad));
    }

    private void sendForeign(int length, int qkey) {
        qp.startSend()
                .wrId(FOREIGN)
                .signaled()
                .send()
                .destination(toB, 1, qkey)
                .pkeyIndex(0)
                .sge(mr.lkey(), mr.iova(), length)
                .complete();
    }

    /** An error stops the send queue (SQE). It is restarted, and what was flushed is sent again, in order. */
    @Test
    void afterAnErrorTheSendQueueIsRestartedAndTheRestIsSent() {
        for (int i = 0; i < 150; i++) {
            if (i == 20) {
                sendForeign(MAX_BYTES, MadAddress.GSI_QKEY);
            }
            send();
        }
        hosts.await("all datagrams", () -> received.size() == 150);
        hosts.await("all results", () -> results.size() == 150);
        assertThat(results).containsOnly(WcStatus.SUCCESS);
        assertThat(received).isSorted().doesNotHaveDuplicates();
        assertThat(carrier.mad().counters().get(MadCounter.SEND_QUEUE_RESTARTS)).isEqualTo(1);
        assertThat(qp.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void datagramsOfAnotherLengthOrQkeyAreDroppedAndCounted() {
        Mad.write(mr.segment(), 0, MadClass.PERF_MGT, MadMethod.GET.code(), 0x12, 1);
        sendForeign(255, MadAddress.GSI_QKEY);
        hosts.await("the first", () -> b.mad().counters().get(MadCounter.BAD_LENGTH) == 1);
        sendForeign(257, MadAddress.GSI_QKEY);
        sendForeign(256, 0x0101);
        hosts.await("the violation", () -> hosts.b.context.queryPort(1).qkeyViolationCounter() == 1);
        Mad.BASE_VERSION.put(mr.segment(), 0, 2);
        sendForeign(256, MadAddress.GSI_QKEY);
        hosts.await("the version", () -> b.mad().counters().get(MadCounter.BAD_VERSION) == 1);
        assertThat(b.mad().counters().get(MadCounter.UNSUPPORTED)).isZero();
        send();
        hosts.await("a good one", () -> received.size() == 1);
    }
}
