// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim;

import io.rdma4j.testing.sim.world.PacketHook;
import io.rdma4j.testing.sim.world.SimLink;
import io.rdma4j.wire.Aeth;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.CreditCode;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Operation;
import io.rdma4j.wire.Syndrome;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import io.rdma4j.wire.roce.Icrc;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.BiPredicate;

/** Hooks that change packets in ways that a real network does not. */
final class Tampering {
    private Tampering() {}

    /** Flips a bit of the n-th packet, from 0, and leaves the ICRC as it is. */
    static PacketHook flipOneBitOfPacket(int n) {
        return new PacketHook() {
            private int seen;

            @Override
            public boolean pass(MemorySegment packet) {
                if (seen++ == n) {
                    flip(packet, packet.byteSize() - 1);
                }
                return true;
            }
        };
    }

    /** Drops the first {@code count} packets. */
    static PacketHook dropFirst(int count) {
        return new PacketHook() {
            private int seen;

            @Override
            public boolean pass(MemorySegment packet) {
                return seen++ >= count;
            }
        };
    }

    /** Flips a bit in the payload of every packet that has one, and corrects the ICRC. */
    static PacketHook flipPayload() {
        return forge((opcode, packet) -> {
            boolean hasPayload = opcode.isRequest() && payloadBytes(packet, opcode) > 0;
            if (hasPayload) {
                flip(packet, bth(packet) + opcode.headerBytes());
            }
            return hasPayload;
        });
    }

    /** The same with the first byte of the payload of READ responses, or of the original value in atomic responses. */
    static PacketHook flipAnswers() {
        return forge((opcode, packet) -> {
            boolean isAtomic = opcode.operation() == Operation.ATOMIC_ACKNOWLEDGE;
            boolean hasValue =
                    isAtomic || opcode.operation() == Operation.READ_RESPONSE && payloadBytes(packet, opcode) > 0;
            if (hasValue) {
                flip(packet, bth(packet) + opcode.headerBytes() - (isAtomic ? 1 : 0));
            }
            return hasValue;
        });
    }

    /** Drops every third request packet and makes every response acknowledge all sent packets. */
    static void acknowledgeWhatWasLost(SimLink requests, SimLink answers) {
        int[] seen = new int[1];
        int[] lastPsn = new int[1];
        requests.hook(packet -> {
            Opcode opcode = Bth.opcode(packet, bth(packet));
            if (opcode != null && opcode.isRequest()) {
                lastPsn[0] = Bth.psn(packet, bth(packet));
                return seen[0]++ % 3 != 2;
            }
            return true;
        });
        answers.hook(forge((opcode, packet) -> {
            boolean isAnswer = opcode == Opcode.RC_ACKNOWLEDGE;
            if (isAnswer) {
                Bth.psn(packet, bth(packet), lastPsn[0]);
                int aeth = bth(packet) + Bth.BYTES;
                Aeth.write(packet, aeth, Syndrome.ack(CreditCode.UNLIMITED), Aeth.msn(packet, aeth));
            }
            return isAnswer;
        }));
    }

    /** @param change returns true if it changed the packet */
    private static PacketHook forge(BiPredicate<Opcode, MemorySegment> change) {
        Icrc icrc = new Icrc();
        return packet -> {
            Opcode opcode = Bth.opcode(packet, bth(packet));
            if (opcode != null && change.test(opcode, packet)) {
                long at = packet.byteSize() - Icrc.BYTES;
                Icrc.store(packet, at, icrc.compute(packet, packet.asByteBuffer(), 0, (int) at));
            }
            return true;
        };
    }

    private static int payloadBytes(MemorySegment packet, Opcode opcode) {
        return (int) packet.byteSize() - bth(packet) - opcode.headerBytes() - Icrc.BYTES;
    }

    private static int bth(MemorySegment packet) {
        return (Ipv4.version(packet, 0) == Ipv4.VERSION ? Ipv4.BYTES : Ipv6.BYTES) + Udp.BYTES;
    }

    private static void flip(MemorySegment packet, long at) {
        packet.set(ValueLayout.JAVA_BYTE, at, (byte) (packet.get(ValueLayout.JAVA_BYTE, at) ^ 1));
    }
}
