// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import static io.rdma4j.cm.CmNetwork.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.wire.mad.AlternatePathStatus;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.RejectReason;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Real messages with changed bits: nothing throws, memory stays bounded, and every id ends.
 *
 * <p>To repeat one failing run: {@code ./rdma4j test -pl cm -am -Dtest=CmFuzzTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Dcm.fuzz.seed=SEED}.
 */
class CmFuzzTest {
    private static final int RUNS = 300;
    private static final int MESSAGES_OF_A_RUN = 100;

    /** What the program of both ends does when an event comes. */
    private static void answer(CmNetwork.Got got, SplittableRandom random) {
        switch (got.event()) {
            case CmEvent.ReqReceived request -> {
                if (random.nextInt(8) > 0) {
                    got.id().sendRep(RepParameters.to(request, random.nextInt(0xFF_FFFF), 1));
                }
            }
            case CmEvent.RepReceived _ -> got.id().sendRtu(NONE);
            case CmEvent.DreqReceived _ -> got.id().sendDrep(NONE);
            case CmEvent.LapReceived _ -> got.id().sendApr(AlternatePathStatus.SUCCESS, NONE, NONE);
            case CmEvent.SidrReqReceived _ -> got.id().sendSidrRep(SidrRepParameters.success(1, 2, NONE));
            default -> {}
        }
    }

    /** All messages of one connection, one resolution and one rejection. */
    private static List<CmNetwork.Flight> corpus() {
        CmPair pair = new CmPair();
        pair.client.addGid("10.78.0.3");
        pair.server.addGid("10.78.0.2");
        pair.requested();
        pair.passive().sendMra(10, false, NONE);
        pair.passive().sendRep(pair.reply(pair.server.events.getFirst()));
        pair.network.settle();
        pair.active.sendRtu(NONE);
        pair.active.sendLap(pair.client.pathTo(pair.server, 1, 1), NONE);
        pair.network.settle();
        pair.passive().sendApr(AlternatePathStatus.SUCCESS, NONE, NONE);
        pair.network.settle();
        pair.active.sendDreq(NONE);
        pair.network.settle();
        pair.passive().sendDrep(NONE);
        pair.client.id().sendSidrReq(SidrReqParameters.of(pair.client.pathTo(pair.server), CmPair.SERVICE, NONE));
        pair.network.settle();
        pair.server.lastId().sendSidrRep(SidrRepParameters.success(1, 2, NONE));
        pair.client.id().sendReq(pair.request().build());
        pair.network.settle();
        pair.server.lastId().sendRej(RejectReason.NO_QP, NONE, NONE);
        pair.network.settle();
        return List.copyOf(pair.network.sent);
    }

    private static void run(long seed, List<CmNetwork.Flight> corpus) {
        SplittableRandom random = new SplittableRandom(seed);
        CmPair pair = new CmPair();
        pair.client.addGid("10.78.0.3");
        pair.server.addGid("10.78.0.2");
        pair.server.program = got -> answer(got, random);
        pair.client.program = got -> answer(got, random);
        pair.server.listen(CmPair.SERVICE);
        pair.client.listen(CmPair.SERVICE);
        pair.network.isLost = flight -> random.nextInt(4) == 0;
        List<CmNetwork.Flight> flights = new ArrayList<>(corpus);
        pair.active.sendReq(pair.request().build());
        for (int i = 0; i < MESSAGES_OF_A_RUN; i++) {
            CmNetwork.Flight original = flights.get(random.nextInt(flights.size()));
            byte[] bytes = original.bytes();
            for (int bits = random.nextInt(4); bits > 0; bits--) {
                bytes[offset(random)] ^= (byte) (1 << random.nextInt(8));
            }
            CmNetwork.Node to = random.nextBoolean() ? pair.client : pair.server;
            CmNetwork.Node from = to.guid() == pair.client.guid() ? pair.server : pair.client;
            to.cm.received(MemorySegment.ofArray(bytes), to.wayBack(from.gid(), 0));
            pair.network.settle();
            flights.addAll(pair.network.sent);
            pair.network.sent.clear();
            pair.network.advance(pair.network.nowNs + random.nextLong(2_000_000_000L));
        }
        pair.network.isLost = _ -> true;
        pair.client.cm.destroyIds();
        pair.server.cm.destroyIds();
        pair.network.runToTheEnd();
        assertThat(pair.client.cm.size() + pair.server.cm.size())
                .as("what is left, apart from SIDR answers")
                .isLessThan(2 * MESSAGES_OF_A_RUN);
        assertThat(pair.client.cm.ids()).isEmpty();
        assertThat(pair.server.cm.ids()).isEmpty();
    }

    /** Headers and bodies before the private data are changed more often than private data. */
    private static int offset(SplittableRandom random) {
        return random.nextInt(3) == 0 ? random.nextInt(Mad.BYTES) : random.nextInt(72);
    }

    @Test
    void mutatedMessagesDoNoHarm() {
        Long chosen = Long.getLong("cm.fuzz.seed");
        List<CmNetwork.Flight> corpus = corpus();
        for (long seed = chosen == null ? 0 : chosen; seed < (chosen == null ? RUNS : chosen + 1); seed++) {
            try {
                run(seed, corpus);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("repeat with -Dcm.fuzz.seed=" + seed, e);
            }
        }
    }

    /** Random bits in each field of each message, to ids in every state. */
    @ParameterizedTest
    @EnumSource(
            names = {"SAP", "SPR"},
            mode = EnumSource.Mode.EXCLUDE)
    void randomBodiesDoNoHarm(CmMessage message) {
        SplittableRandom random = new SplittableRandom(message.ordinal());
        CmPair pair = new CmPair();
        pair.established();
        pair.network.isLost = _ -> true;
        pair.server.program = _ -> pair.server.events.clear();
        CmAddress source = pair.server.wayBack(pair.client.gid(), 0);
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        for (int i = 0; i < 100_000; i++) {
            byte[] body = new byte[Mad.DATA_BYTES];
            random.nextBytes(body);
            message.write(mad, 0, random.nextLong());
            mad.asSlice(Mad.HEADER_BYTES).copyFrom(MemorySegment.ofArray(body));
            if (i % 2 == 0) {
                // For the connection, from its peer.
                mad.set(
                        ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN),
                        28,
                        pair.passive().localId());
            }
            pair.server.cm.received(mad, source);
        }
        assertThat(pair.passive().state()).isEqualTo(CmState.ESTABLISHED);
        assertThat(pair.server.counters().received(message)).isGreaterThanOrEqualTo(100_000);
        assertThat(pair.server.cm.size()).isLessThan(20);
    }
}
