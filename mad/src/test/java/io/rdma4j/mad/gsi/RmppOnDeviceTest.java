// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad.gsi;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.links.LinkProfile;
import io.rdma4j.mad.MadAgent;
import io.rdma4j.mad.MadAgentSetup;
import io.rdma4j.mad.MadCounter;
import io.rdma4j.mad.MadRegistration;
import io.rdma4j.mad.MadSend;
import io.rdma4j.mad.ReceivedMad;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.RmppType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages of many segments between two real devices. */
@ProvedOn("device")
class RmppOnDeviceTest {
    private static final int HEADER = MadClass.SUBN_ADM.dataOffset();
    private static final int MIB = 1 << 20;

    private static MemorySegment message(int method, long transactionId, int dataBytes, long seed) {
        byte[] bytes = new byte[HEADER + dataBytes];
        new SplittableRandom(seed).nextBytes(bytes);
        MemorySegment message = MemorySegment.ofArray(bytes);
        Mad.write(message, 0, MadClass.SUBN_ADM, method, 0x35, transactionId);
        Rmpp.VERSION.put(message, Rmpp.OFFSET, 1);
        Rmpp.TYPE.put(message, Rmpp.OFFSET, RmppType.DATA.code());
        Rmpp.FLAGS.put(message, Rmpp.OFFSET, Rmpp.ACTIVE);
        return message;
    }

    private static MemorySegment data(MemorySegment message) {
        return message.asSlice(256);
    }

    /** Both directions of a double-sided transfer have 1 MiB; the network loses, duplicates and reorders. */
    private static void exchange(boolean isVirtual, LinkProfile faults, long seed) {
        TwoHosts hosts = new TwoHosts(isVirtual, faults, seed);
        try (GeneralServices a = hosts.a.services();
                GeneralServices b = hosts.b.services()) {
            List<WcStatus> results = new CopyOnWriteArrayList<>();
            List<ReceivedMad> requests = new CopyOnWriteArrayList<>();
            List<ReceivedMad> responses = new CopyOnWriteArrayList<>();
            AtomicReference<MadAgent> server = new AtomicReference<>();
            MadAgentSetup rmpp = MadAgentSetup.DEFAULT.rmppVersion(1);
            MadAgent client = a.register(
                    rmpp.onSent((_, status) -> results.add(status)).onReceived((_, mad) -> responses.add(mad)));
            server.set(b.register(rmpp.onSent((_, status) -> results.add(status))
                    .onReceived((_, mad) -> {
                        requests.add(mad);
                        MemorySegment response = message(
                                MadMethod.GET_MULTI.responseCode(),
                                Mad.TRANSACTION_ID.get(mad.datagram(), 0),
                                MIB,
                                seed + 1);
                        server.get().send(MadSend.request(mad.from(), response, 0, 100));
                    })
                    .registration(MadRegistration.of(MadClass.SUBN_ADM, MadMethod.GET_MULTI.code()))));
            MemorySegment request = message(MadMethod.GET_MULTI.code(), client.nextTransactionId(), MIB, seed);
            client.send(MadSend.request(hosts.b.address(), request, 200_000, 100));
            hosts.await("both ends with seed " + seed, () -> results.size() == 2);
            assertThat(results).as("seed %d", seed).containsOnly(WcStatus.SUCCESS);
            assertThat(data(requests.getFirst().coalesce()).mismatch(data(request)))
                    .as("seed %d", seed)
                    .isEqualTo(-1);
            assertThat(data(responses.getFirst().coalesce()).mismatch(data(message(0, 0, MIB, seed + 1))))
                    .as("seed %d", seed)
                    .isEqualTo(-1);
            assertThat(responses.getFirst().segmentCount()).isEqualTo(Math.ceilDiv(MIB, 200));
            List<ReceivedMad> all = new ArrayList<>(requests);
            all.addAll(responses);
            all.forEach(ReceivedMad::close);
            assertThat(client.usedReceiveBuffers() + server.get().usedReceiveBuffers())
                    .isZero();
            assertThat(a.mad().counters().get(MadCounter.RMPP_ABORTS)).isZero();
        } finally {
            hosts.close();
        }
    }

    @Test
    @Covers({"MAD-9", "MAD-10"})
    void oneMebibyteGoesBothWays() {
        exchange(true, TwoHosts.PLAIN, 11);
    }

    @Test
    @Covers("MAD-10")
    void oneMebibyteSurvivesABadNetwork() {
        LinkProfile bad = TwoHosts.PLAIN.withLoss(0.002).withDuplication(0.01).withReordering(0.05, 100_000);
        for (long seed = 1; seed <= 3; seed++) {
            exchange(true, bad, seed);
        }
    }

    @Test
    @Timeout(120)
    void threadsTransferOneMebibyteInRealTime() {
        exchange(false, TwoHosts.PLAIN, 12);
    }
}
