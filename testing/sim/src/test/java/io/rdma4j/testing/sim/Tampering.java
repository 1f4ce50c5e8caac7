package io.rdma4j.testing.sim;

import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Icrc;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Ipv6;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Udp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/** Hooks that do to packets what no honest network does. */
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

    /** Changes every request that has a payload, and makes the ICRC fit again. */
    static PacketHook forgeRequests(Consumer<MemorySegment> change) {
        Icrc icrc = new Icrc();
        return packet -> {
            Opcode opcode = Bth.opcode(packet, bth(packet));
            if (opcode != null && opcode.isRequest() && payloadBytes(packet, opcode) > 0) {
                change.accept(packet);
                long at = packet.byteSize() - Icrc.BYTES;
                Icrc.store(packet, at, icrc.compute(packet, packet.asByteBuffer(), 0, (int) at));
            }
            return true;
        };
    }

    /** Flips a bit of the payload's first byte. */
    static void flipPayload(MemorySegment packet) {
        Opcode opcode = Bth.opcode(packet, bth(packet));
        if (opcode != null) {
            flip(packet, bth(packet) + opcode.headerBytes());
        }
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
