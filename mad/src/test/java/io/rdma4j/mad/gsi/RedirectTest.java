// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad.gsi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.MadAddress;
import io.rdma4j.mad.MadAgent;
import io.rdma4j.mad.MadAgentSetup;
import io.rdma4j.mad.MadCounter;
import io.rdma4j.mad.MadRegistration;
import io.rdma4j.mad.MadSend;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
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
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A class that is served by an ordinary UD queue pair of a real device. */
@ProvedOn("device")
class RedirectTest {
    private static final int CLASS = MadClass.PERF_MGT.code();

    private final TwoHosts hosts = new TwoHosts(true, TwoHosts.PLAIN, 3);
    private final GeneralServices a = hosts.a.services();
    private final GeneralServices b = hosts.b.services();
    private final CompletionQueue cq = b.context().createCq(1000);
    private final ProtectionDomain pd = b.context().allocatePd();
    private final QueuePair ud = pd.createQp(QpInitAttributes.builder(cq)
            .type(QpType.UD)
            .capabilities(QpCapabilities.of(50, 200))
            .build());
    private final List<WcStatus> results = new ArrayList<>();
    private final List<Integer> servers = new ArrayList<>();
    private final MadAgent client = a.register(
            MadAgentSetup.DEFAULT.onSent((_, status) -> results.add(status)).onReceived((_, mad) -> {
                servers.add(mad.from().qpn());
                mad.close();
            }));

    @AfterEach
    void close() {
        ud.close();
        cq.close();
        pd.close();
        a.close();
        b.close();
        hosts.close();
    }

    private void start(int qkey) {
        ud.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .port(1)
                .pkeyIndex(0)
                .qkey(qkey)
                .build());
        ud.modify(QpAttributes.builder().state(QpState.RTR).build());
        ud.modify(QpAttributes.builder().state(QpState.RTS).sqPsn(0).build());
    }

    /** An agent that answers each Get with itself. */
    private static MadAgentSetup echo(AtomicReference<MadAgent> self) {
        return MadAgentSetup.DEFAULT
                .onSent((_, _) -> {})
                .onReceived((_, mad) -> {
                    try (mad) {
                        MemorySegment response =
                                MemorySegment.ofArray(mad.datagram().toArray(ValueLayout.JAVA_BYTE));
                        Mad.METHOD.put(response, 0, MadMethod.GET.responseCode());
                        self.get().send(MadSend.of(mad.from(), response));
                    }
                })
                .registration(MadRegistration.of(MadClass.PERF_MGT, 1));
    }

    private void request() {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        Mad.write(mad, 0, MadClass.PERF_MGT, MadMethod.GET.code(), 0x12, client.nextTransactionId());
        client.send(MadSend.request(hosts.b.address(), mad, 1000, 3));
    }

    /** MAD-13: the load of the class does not use QP1 any more. */
    @Test
    @Covers({"MAD-11", "MAD-12", "MAD-13"})
    void aRedirectedClassIsServedByItsQueuePair() {
        AtomicReference<MadAgent> onQp1 = new AtomicReference<>();
        onQp1.set(b.register(echo(onQp1)));
        request();
        hosts.await("an answer of QP1", () -> results.size() == 1);

        start(MadAddress.GSI_QKEY);
        RedirectedQp redirected = b.redirect(CLASS, ud, 0);
        long[] sent = {0};
        hosts.drive(nowNs -> {
            List<WorkCompletion> done = cq.poll(100);
            done.forEach(completion -> redirected.processMad(completion, nowNs));
            long before = sent[0];
            sent[0] = redirected.mad().counters().get(MadCounter.SENT);
            return done.isEmpty() && sent[0] == before ? Long.MAX_VALUE : nowNs;
        });
        AtomicReference<MadAgent> onUd = new AtomicReference<>();
        onUd.set(redirected.register(echo(onUd)));
        for (int i = 0; i < 100; i++) {
            request();
        }
        hosts.await("all answers", () -> results.size() == 101);
        assertThat(results).containsOnly(WcStatus.SUCCESS);
        assertThat(servers.getFirst()).isEqualTo(1);
        assertThat(servers.subList(1, 101)).containsOnly(ud.qpn());
        long atQp1 = b.mad().counters().get(MadCounter.RECEIVED);

        for (int i = 0; i < 50; i++) {
            request();
        }
        hosts.await("more answers", () -> results.size() == 151);
        assertThat(b.mad().counters().get(MadCounter.RECEIVED)).isEqualTo(atQp1);
        assertThat(redirected.mad().counters().get(MadCounter.RECEIVED)).isEqualTo(150);

        onUd.get().close();
        ud.close();
        redirected.close();
        a.mad().forgetRedirects();
        request();
        hosts.await("an answer of QP1 again", () -> results.size() == 152);
        assertThat(servers.getLast()).isEqualTo(1);
    }

    @Test
    void onlyAUdQueuePairWithTheQkeyOfGeneralServicesTakesAClass() {
        start(0x1234);
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> b.redirect(CLASS, ud, 0))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .satisfies(e -> assertThat(e.getMessage()).contains("0x00001234"));
    }
}
