// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Operation;
import io.rdma4j.wire.Syndrome;

/** A buffer on its way through the {@link ScriptedNetwork}, and what its headers said when it was sent. */
final class Parcel {
    final SkBuff skb;
    final Endpoint to;
    final int path;
    final long sentNs;
    final Opcode opcode;
    final Opcode lastOpcode;
    final int psn;
    final int packets;
    final boolean ackRequest;
    final boolean solicited;
    final boolean migrationRequest;
    final int immediate;
    final int syndrome;
    final int payloadBytes;

    /** Over the path that every connection has. */
    Parcel(SkBuff skb, Endpoint to, long sentNs) {
        this(skb, to, 0, sentNs);
    }

    /** @param path of its sender's that it takes */
    Parcel(SkBuff skb, Endpoint to, int path, long sentNs) {
        PacketContext headers = new PacketContext();
        if (!headers.parse(skb)) {
            throw new AssertionError("sent a packet with an unknown opcode");
        }
        this.skb = skb;
        this.to = to;
        this.path = path;
        this.sentNs = sentNs;
        opcode = headers.opcode;
        lastOpcode = headers.lastOpcode;
        psn = headers.psn;
        packets = headers.packets();
        ackRequest = headers.ackRequest;
        solicited = headers.solicited;
        migrationRequest = headers.migrationRequest;
        immediate = headers.lastWord;
        syndrome = headers.syndrome;
        payloadBytes = headers.payloadBytes();
    }

    boolean isRequest() {
        return opcode.isRequest();
    }

    boolean isTrain() {
        return packets > 1;
    }

    int lastPsn() {
        return (psn + packets - 1) & 0xFF_FFFF;
    }

    /**
     * {@code "RC SEND Only 100"}, {@code "RC SEND First 100..103"}, {@code "ACK 100"}, {@code "NAK PSN sequence error
     * 101"}.
     */
    @Override
    public String toString() {
        boolean bare = opcode.operation() == Operation.ACKNOWLEDGE;
        String what = bare ? Syndrome.toString(syndrome) : opcode.text();
        return what + " " + psn + (isTrain() ? ".." + lastPsn() : "");
    }
}
