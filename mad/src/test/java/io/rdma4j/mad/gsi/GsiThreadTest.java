// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad.gsi;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.mad.MadAgent;
import io.rdma4j.mad.MadAgentSetup;
import io.rdma4j.mad.MadRegistration;
import io.rdma4j.mad.MadSend;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The thread that drives a port, in real time. */
@Timeout(120)
class GsiThreadTest {
    private final TwoHosts hosts = new TwoHosts(false, TwoHosts.PLAIN, 3);
    private final GeneralServices a = hosts.a.services();
    private final GeneralServices b = hosts.b.services();
    private final List<WcStatus> results = new CopyOnWriteArrayList<>();
    private final MadAgent client = a.register(
            MadAgentSetup.DEFAULT.onSent((_, status) -> results.add(status)).onReceived((_, mad) -> mad.close()));

    @AfterEach
    void close() {
        a.close();
        b.close();
        hosts.close();
    }

    private MadSend request(int timeoutMs) {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        Mad.write(mad, 0, MadClass.PERF_MGT, MadMethod.GET.code(), 0x12, client.nextTransactionId());
        return MadSend.request(hosts.b.address(), mad, timeoutMs, 0);
    }

    @Test
    void manyRequestsOfManyThreadsAreAnswered() throws InterruptedException {
        AtomicReference<MadAgent> server = new AtomicReference<>();
        server.set(b.register(MadAgentSetup.DEFAULT
                .onSent((_, _) -> {})
                .onReceived((_, mad) -> {
                    try (mad) {
                        MemorySegment response =
                                MemorySegment.ofArray(mad.datagram().toArray(ValueLayout.JAVA_BYTE));
                        Mad.METHOD.put(response, 0, MadMethod.GET.responseCode());
                        server.get().send(MadSend.of(mad.from(), response));
                    }
                })
                .registration(MadRegistration.of(MadClass.PERF_MGT, 1))));
        List<Thread> senders = List.of(sender(), sender(), sender());
        for (Thread sender : senders) {
            sender.join();
        }
        hosts.await("all results", () -> results.size() == 300);
        assertThat(results).containsOnly(WcStatus.SUCCESS);
    }

    private Thread sender() {
        return Thread.ofVirtual().start(() -> {
            for (int i = 0; i < 100; i++) {
                client.send(request(20_000));
            }
        });
    }

    @Test
    void theThreadWakesForTimersAndCancellations() throws InterruptedException {
        b.register(MadAgentSetup.DEFAULT
                .onReceived((_, mad) -> mad.close())
                .registration(MadRegistration.of(MadClass.PERF_MGT, 1)));
        client.send(request(20));
        hosts.await("the timeout", () -> results.size() == 1);
        assertThat(results).containsExactly(WcStatus.RESP_TIMEOUT_ERR);
        MadSend longer = request(600_000);
        client.send(longer);
        client.cancel(longer);
        hosts.await("the cancellation", () -> results.size() == 2);
        assertThat(results.getLast()).isEqualTo(WcStatus.WR_FLUSH_ERR);

        CountDownLatch called = new CountDownLatch(3);
        a.add(nowNs -> {
            called.countDown();
            return nowNs + 1_000_000;
        });
        assertThat(called.await(30, TimeUnit.SECONDS)).isTrue();
    }

    /** After close no handler runs, even if one runs at the time of the call. */
    @Test
    void closingAnAgentWaitsForItsHandler() throws InterruptedException {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        AtomicReference<String> order = new AtomicReference<>("");
        MadAgent slow = a.register(MadAgentSetup.DEFAULT.onSent((_, _) -> {
            entered.countDown();
            boolean left = false;
            while (!left) {
                try {
                    left = leave.await(30, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    // A wake-up of the port.
                }
            }
            order.updateAndGet(text -> text + "handler ");
        }));
        slow.send(MadSend.of(hosts.b.address(), request(0).message()));
        assertThat(entered.await(30, TimeUnit.SECONDS)).isTrue();
        Thread closer = Thread.ofVirtual().start(() -> {
            slow.close();
            order.updateAndGet(text -> text + "closed");
        });
        leave.countDown();
        closer.join();
        assertThat(order.get()).isEqualTo("handler closed");
    }
}
