// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.sma;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Deth;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.TransportClass;
import io.rdma4j.wire.ib.LinkNextHeader;
import io.rdma4j.wire.ib.LocalPacket;
import io.rdma4j.wire.ib.Lrh;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.mad.sm.TrapDetails;
import java.lang.foreign.MemorySegment;

/** The details of trap 259: what the headers of a packet tell that a switch has dropped because of its P_Key. */
final class RejectedPkey {
    private static final int LIDS_PKEY_SL_AND_RECEIVER = 0xF400;
    private static final int SENDER_QPN = 0x0800;
    private static final int GIDS = 0x0300;

    private RejectedPkey() {}

    static void describe(SkBuff packet, MemorySegment details) {
        MemorySegment memory = packet.memory();
        int at = packet.data();
        long bth = LocalPacket.bthOffset(memory, at);
        int valid = LIDS_PKEY_SL_AND_RECEIVER;
        TrapDetails.SENDER_LID.put(details, 0, Lrh.sourceLid(memory, at));
        TrapDetails.RECEIVER_LID.put(details, 0, Lrh.destinationLid(memory, at));
        TrapDetails.P_KEY.put(details, 0, Bth.pkey(memory, bth));
        TrapDetails.PACKET_SL.put(details, 0, Lrh.serviceLevel(memory, at));
        TrapDetails.RECEIVER_QPN.put(details, 0, Bth.destinationQpn(memory, bth));
        Opcode opcode = Bth.opcode(memory, bth);
        if (opcode != null && opcode.transport() == TransportClass.UD) {
            valid |= SENDER_QPN;
            TrapDetails.SENDER_QPN.put(details, 0, Deth.sourceQpn(memory, bth + Bth.BYTES));
        }
        if (Lrh.nextHeader(memory, at) == LinkNextHeader.GLOBAL) {
            valid |= GIDS;
            TrapDetails.SENDER_GID.put(details, 0, Ipv6.source(memory, at + (long) Lrh.BYTES));
            TrapDetails.RECEIVER_GID.put(details, 0, Ipv6.destination(memory, at + (long) Lrh.BYTES));
        }
        TrapDetails.DATA_VALID.put(details, 0, valid);
    }
}
