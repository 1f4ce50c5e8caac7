// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Position;
import io.rdma4j.wire.TransportClass;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Arbitrary packets, as far as a device's checks of the shape let them through: never an exception, nothing done twice.
 */
class GarbageTest {
    private static final int PACKETS_PER_SEED = 300;

    static IntStream seeds() {
        return IntStream.range(0, 40);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void randomPacketsNeverThrow(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        try (EnginePair pair = new EnginePair(new PairSettings().retryCount(1).rnrRetry(1))) {
            pair.postReceives(20, 2000);
            pair.postSends(20, 2000);
            for (int i = 0; i < PACKETS_PER_SEED; i++) {
                SkBuff skb = pair.network.allocate();
                int length = Bth.BYTES + random.nextInt(1200);
                byte[] bytes = new byte[length];
                random.nextBytes(bytes);
                skb.put(length);
                skb.memory().asSlice(skb.data(), length).copyFrom(MemorySegment.ofArray(bytes));
                // Near the window, or it would all end at the check of the PSN.
                Bth.psn(skb.memory(), skb.data(), PairSettings.PSN_A + random.nextInt(-5, 60));
                offer(random.nextBoolean() ? pair.a : pair.b, skb, pair.nowNs());
                if (random.nextInt(8) == 0) {
                    pair.transmit();
                    pair.deliver();
                }
            }
            finish(pair);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void damagedPacketsNeverThrowAndCompleteNothingTwice(int seed) {
        SplittableRandom random = new SplittableRandom(1000 + seed);
        try (EnginePair pair = new EnginePair(new PairSettings().mode(Mode.CUT))) {
            pair.postReceives(20, 3000);
            pair.postSends(20, 3000);
            for (int i = 0; i < 20; i++) {
                pair.transmit();
                for (Parcel parcel : List.copyOf(pair.network.inFlight())) {
                    if (random.nextInt(4) == 0) {
                        offer(parcel.to, damaged(pair, parcel.skb, random), pair.nowNs());
                    }
                }
                pair.deliver();
            }
            finish(pair);
        }
    }

    private static SkBuff damaged(EnginePair pair, SkBuff original, SplittableRandom random) {
        SkBuff copy = pair.network.allocate();
        int at = copy.put(original.len());
        original.copyBits(0, copy.memory(), at, original.len());
        if (random.nextInt(4) == 0) {
            copy.trim(random.nextInt(Bth.BYTES, original.len() + 1));
        }
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            int headers = Math.min(copy.len(), Bth.BYTES + 4);
            copy.memory().set(ValueLayout.JAVA_BYTE, at + random.nextInt(headers), (byte) random.nextInt());
        }
        return copy;
    }

    /** What a device does: a known opcode whose headers are all there, or nothing. Frees the buffer. */
    private static void offer(Endpoint to, SkBuff skb, long nowNs) {
        Opcode opcode = Bth.opcode(skb.memory(), skb.data());
        if (opcode != null && opcode.headerBytes() <= skb.len()) {
            to.receive(skb, nowNs);
        }
        skb.free();
    }

    /** Whatever state things are in now: all work ends, each request once. */
    private static void finish(EnginePair pair) {
        pair.run();
        pair.a.modify(QpState.ERR);
        pair.b.modify(QpState.ERR);
        for (List<Completion> completions : List.of(pair.a.sendCompletions(), pair.b.receiveCompletions())) {
            assertThat(completions).hasSize(20);
            assertThat(new HashSet<>(completions.stream().map(Completion::wrId).toList()))
                    .hasSize(20);
        }
        assertThat(pair.a.receiveCompletions()).isEmpty();
        assertThat(pair.b.sendCompletions()).isEmpty();
    }

    @Test
    void connectionIsNotAffectedByPacketsThatFailItsChecks() {
        SplittableRandom random = new SplittableRandom(4711);
        try (EnginePair pair = EnginePair.connected()) {
            TestRegion source = pair.a.region(5000).filled(1);
            TestRegion target = pair.b.region(5000);
            for (int round = 0; round < 50; round++) {
                for (SkBuff garbage : uselessPackets(pair, random)) {
                    int qpn = PacketContext.destinationQpn(garbage);
                    offer(qpn == EnginePair.QPN_A ? pair.a : pair.b, garbage, pair.nowNs());
                }
                pair.settle();
                target.memory().fill((byte) 0);
                pair.b.receive(round, target.first(5000));
                pair.a.send(round, source.first(5000));
                pair.settle();
                assertThat(pair.a.sendResults()).containsExactly(round + " SUCCESS");
                assertThat(pair.b.receiveResults()).containsExactly(round + " SUCCESS");
                assertThat(EnginePair.sameBytes(source, target, 5000)).isTrue();
            }
            assertThat(pair.a.counters().retransmittedPackets).isZero();
            assertThat(pair.a.events).isEmpty();
            assertThat(pair.b.events).isEmpty();
        }
    }

    /** Packets of other classes; requests long received or far ahead; answers about what was never asked. */
    private static List<SkBuff> uselessPackets(EnginePair pair, SplittableRandom random) {
        int psn = pair.a.engine.query().sqPsn();
        List<SkBuff> packets = new ArrayList<>();
        for (Opcode opcode : Opcode.values()) {
            int payload = opcode.position() == Position.SINGLE ? 0 : random.nextInt(1100);
            boolean ofClass = opcode.transport() == TransportClass.RC;
            int away = random.nextInt(2, 1 << 22) * (random.nextBoolean() ? 1 : -1);
            int wrong = ofClass ? psn + away : psn + random.nextInt(-2, 3);
            int qpn = opcode.isRequest() ? EnginePair.QPN_B : EnginePair.QPN_A;
            packets.add(pair.packet(opcode, wrong & 0xFF_FFFF, random.nextBoolean(), qpn, payload));
        }
        return packets;
    }
}
