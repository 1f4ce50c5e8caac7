// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.transport.port.Train;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Opcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Packets and trains that an engine of another process says it has made. */
class ForeignTrainTest {
    private static final int MTU = 1024;

    private final SkBuffPool pool = new SkBuffPool(1, 256);
    private final MemorySegment payload = Arena.ofAuto().allocate(1 << 16);
    private final Train train = new Train();
    private final PacketContext packet = new PacketContext();

    @AfterEach
    void close() {
        assertThat(pool.available()).isEqualTo(1);
        pool.close();
    }

    private SkBuff buffer(Opcode opcode, int headerBytes, int payloadBytes) {
        SkBuff skb = Objects.requireNonNull(pool.allocate());
        MemorySegment memory = skb.memory();
        memory.fill((byte) 0);
        skb.put(headerBytes);
        if (headerBytes >= Bth.BYTES) {
            Bth.opcode(memory, 0, opcode);
        }
        if (payloadBytes > 0) {
            skb.addFrag(payload, 0, payloadBytes);
        }
        return skb;
    }

    private boolean isPacket(Opcode opcode, int headerBytes, int payloadBytes) {
        SkBuff skb = buffer(opcode, headerBytes, payloadBytes);
        boolean fine = train.isWellFormed(skb);
        skb.free();
        return fine;
    }

    private boolean isTrain(Opcode first, Opcode last, int packets, int payloadBytes) {
        SkBuff skb = buffer(first, first.headerBytes(), payloadBytes);
        skb.shinfo().gso(MTU, packets);
        train.over(skb);
        train.describeLast(last, false, true, 0);
        boolean fine = train.isWellFormed(skb);
        skb.free();
        return fine;
    }

    /** Two full packets. */
    private boolean isPair(Opcode first, Opcode last) {
        return isTrain(first, last, 2, 2 * MTU);
    }

    @Test
    void aPacketHasAllOfItsHeadersAndPayloadOnlyIfItsOpcodeSaysSo() {
        int write = Opcode.RC_WRITE_ONLY.headerBytes();
        assertThat(isPacket(Opcode.RC_WRITE_ONLY, write, 100)).isTrue();
        assertThat(isPacket(Opcode.RC_WRITE_ONLY, write, 0)).isTrue();
        assertThat(isPacket(Opcode.RC_WRITE_ONLY, write - 1, 100)).isFalse();
        assertThat(isPacket(Opcode.RC_WRITE_ONLY, Bth.BYTES - 1, 100)).isFalse();
        int ack = Opcode.RC_ACKNOWLEDGE.headerBytes();
        assertThat(isPacket(Opcode.RC_ACKNOWLEDGE, ack, 0)).isTrue();
        assertThat(isPacket(Opcode.RC_ACKNOWLEDGE, ack, 1)).isFalse();
    }

    @Test
    void aTrainIsOneMessageOrAPartOfOne() {
        assertThat(isTrain(Opcode.RC_SEND_FIRST, Opcode.RC_SEND_LAST, 3, 2 * MTU + 1))
                .isTrue();
        assertThat(isPair(Opcode.RC_SEND_MIDDLE, Opcode.RC_SEND_MIDDLE)).isTrue();
        assertThat(isPair(Opcode.RC_SEND_FIRST, Opcode.RC_SEND_LAST_IMMEDIATE)).isTrue();
        assertThat(isPair(Opcode.RC_SEND_FIRST, Opcode.RC_WRITE_LAST)).isFalse();
        assertThat(isPair(Opcode.RC_SEND_FIRST, Opcode.UC_SEND_LAST)).isFalse();
        assertThat(isPair(Opcode.RC_SEND_ONLY, Opcode.RC_SEND_LAST)).isFalse();
        assertThat(isPair(Opcode.RC_SEND_FIRST, Opcode.RC_SEND_FIRST)).isFalse();
        assertThat(isTrain(Opcode.RC_SEND_FIRST, Opcode.RC_SEND_LAST, 1, MTU)).isFalse();
        assertThat(isTrain(Opcode.RC_SEND_FIRST, Opcode.RC_SEND_LAST, 3, 2 * MTU))
                .isFalse();
        assertThat(isTrain(Opcode.RC_SEND_FIRST, Opcode.RC_SEND_LAST, 2, 2 * MTU + 1))
                .isFalse();
    }

    @Test
    void orItIsSeveralSendsOfOnePacketEach() {
        assertThat(isTrain(Opcode.RC_SEND_ONLY, Opcode.RC_SEND_ONLY, 3, 2 * MTU + 1))
                .isTrue();
        assertThat(isPair(Opcode.UC_SEND_ONLY, Opcode.UC_SEND_ONLY)).isTrue();
        assertThat(isPair(Opcode.RC_SEND_ONLY, Opcode.UC_SEND_ONLY)).isFalse();
        assertThat(isPair(Opcode.RC_SEND_ONLY_IMMEDIATE, Opcode.RC_SEND_ONLY_IMMEDIATE))
                .isFalse();
        assertThat(isPair(Opcode.RC_WRITE_ONLY, Opcode.RC_WRITE_ONLY)).isFalse();
        assertThat(isTrain(Opcode.RC_SEND_ONLY, Opcode.RC_SEND_ONLY, 1, MTU)).isFalse();
        assertThat(isTrain(Opcode.RC_SEND_ONLY, Opcode.RC_SEND_ONLY, 2, 2 * MTU + 1))
                .isFalse();
    }

    @Test
    void whateverTheBytesAreWhatIsFoundWellFormedCanBeRead() {
        SplittableRandom random = new SplittableRandom(8);
        int read = 0;
        for (int i = 0; i < 50_000; i++) {
            SkBuff skb = buffer(Opcode.RC_SEND_FIRST, random.nextInt(80), random.nextInt(5000));
            for (int at = 0; at < 80; at++) {
                skb.memory().set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
            }
            // The version of the headers, which nearly no byte by lot would have right.
            skb.memory().set(ValueLayout.JAVA_BYTE, 1, (byte) (random.nextInt() & 0xF0));
            if (random.nextBoolean()) {
                makeTrain(skb, Opcode.RC_SEND_LAST, random);
                skb.memory().set(ValueLayout.JAVA_BYTE, 0, (byte) random.nextInt(3));
            } else if (random.nextBoolean()) {
                makeTrain(skb, Opcode.RC_SEND_ONLY, random);
                skb.memory().set(ValueLayout.JAVA_BYTE, 0, (byte) Opcode.RC_SEND_ONLY.code());
            }
            if (train.isWellFormed(skb)) {
                assertThat(packet.parse(skb)).isTrue();
                assertThat(packet.payloadBytes()).isNotNegative();
                read++;
            }
            skb.free();
        }
        assertThat(read).isBetween(1000, 40_000);
    }

    private void makeTrain(SkBuff skb, Opcode last, SplittableRandom random) {
        skb.shinfo().gso(1 + random.nextInt(2000), 1 + random.nextInt(5));
        train.over(skb);
        train.describeLast(last, random.nextBoolean(), true, random.nextInt());
    }
}
