package io.rdma4j.transport;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.ImmDt;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Position;
import java.lang.foreign.MemorySegment;

/** Makes single packets of a train, as a device does that cannot take trains; without padding and ICRC. */
final class TrainCutter {
    private TrainCutter() {}

    /** Builds packet {@code index} of {@code train} (or the only one of a buffer that is no train) in {@code target}. */
    static SkBuff packet(SkBuff train, int index, SkBuff target) {
        if (!train.isGso()) {
            int at = target.put(train.len());
            train.copyBits(0, target.memory(), at, train.len());
            return target;
        }
        MemorySegment memory = train.memory();
        int bth = train.data();
        boolean last = index == train.gsoSegs() - 1;
        Opcode first = Opcode.of(Bth.opcodeCode(memory, bth));
        if (first == null) {
            throw new AssertionError("unknown opcode");
        }
        Opcode middle = index == 0 ? first : first.withPosition(Position.MIDDLE);
        Opcode opcode = last ? Train.lastOpcode(train) : middle;
        int payloadAt = index * train.gsoSize();
        int payload = last ? train.dataLen() - payloadAt : train.gsoSize();
        writeHeaders(train, index, last, opcode, payload, target);
        int at = target.put(payload);
        train.copyBits(train.headLen() + payloadAt, target.memory(), at, payload);
        return target;
    }

    private static void writeHeaders(SkBuff train, int index, boolean last, Opcode opcode, int payload, SkBuff target) {
        MemorySegment memory = train.memory();
        int bth = train.data();
        int at = target.put(opcode.headerBytes());
        Bth.write(
                target.memory(),
                at,
                opcode,
                last && Train.solicited(train),
                true,
                -payload & 3,
                Bth.pkey(memory, bth),
                Bth.destinationQpn(memory, bth),
                last && Train.ackRequest(train),
                Bth.psn(memory, bth) + index);
        if (opcode.carries(Header.IMMDT)) {
            ImmDt.write(target.memory(), at + opcode.offsetOf(Header.IMMDT), Train.lastWord(train));
        }
    }
}
