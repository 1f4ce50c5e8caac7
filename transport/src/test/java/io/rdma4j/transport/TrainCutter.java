// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import io.rdma4j.base.Psn;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.port.Train;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.ImmDt;
import io.rdma4j.wire.Opcode;
import java.lang.foreign.MemorySegment;

/** Makes single packets of a train, as a device does that cannot take trains; without padding and ICRC. */
final class TrainCutter {
    private TrainCutter() {}

    /**
     * Builds packet {@code index} of {@code train} (or the only one of a buffer that is no train) in {@code target}.
     */
    static SkBuff packet(SkBuff train, int index, SkBuff target) {
        if (!train.shinfo().isGso()) {
            int at = target.put(train.len());
            train.copyBits(0, target.memory(), at, train.len());
            return target;
        }
        boolean last = index == train.shinfo().gsoSegs() - 1;
        Opcode first = opcode(train);
        Opcode middle = index == 0 ? first : Train.inner(first);
        Opcode opcode = last ? describedBy(train).lastOpcode() : middle;
        int payloadAt = index * train.shinfo().gsoSize();
        int payload = last ? train.dataLen() - payloadAt : train.shinfo().gsoSize();
        writeHeaders(train, index, last, opcode, payload, target);
        int at = target.put(payload);
        train.copyBits(train.headLen() + payloadAt, target.memory(), at, payload);
        return target;
    }

    private static void writeHeaders(SkBuff train, int index, boolean last, Opcode opcode, int payload, SkBuff target) {
        int from = train.data();
        int at = target.put(opcode.headerBytes());
        MemorySegment to = target.memory();
        int common = Train.commonBytes(opcode(train));
        MemorySegment.copy(train.memory(), from, to, at, index == 0 ? opcode.headerBytes() : common);
        Bth.padCount(to, at, -payload & 3);
        Bth.opcode(to, at, opcode);
        Bth.psn(to, at, Psn.add(Bth.psn(train.memory(), from), index));
        if (last) {
            Train description = describedBy(train);
            Bth.solicitedEvent(to, at, description.solicited());
            Bth.ackRequest(to, at, description.ackRequest());
            if (opcode.headerBytes() > common) {
                ImmDt.write(to, at + (long) common, description.lastWord());
            }
        }
    }

    private static Train describedBy(SkBuff train) {
        Train description = new Train();
        description.over(train);
        return description;
    }

    private static Opcode opcode(SkBuff train) {
        Opcode first = Bth.opcode(train.memory(), train.data());
        if (first == null) {
            throw new AssertionError("unknown opcode");
        }
        return first;
    }
}
