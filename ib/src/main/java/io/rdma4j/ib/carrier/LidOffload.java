// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.carrier;

import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.port.TrainPackets;
import io.rdma4j.wire.ib.LinkNextHeader;
import io.rdma4j.wire.ib.LocalPacket;
import io.rdma4j.wire.ib.Lrh;
import io.rdma4j.wire.ip.Ipv6;
import java.lang.foreign.MemorySegment;

/**
 * Makes packets of the buffers of an engine that begin with their local route header: segments trains and adds padding.
 * The packets have no ICRC, which links compute if they make bytes. For the owner of the loop only.
 */
final class LidOffload implements PacketOffload {
    private final TrainPackets packets = new TrainPackets();

    @Override
    public int segmentBytes(SkBuff train, int index) {
        int headers = headerBytes(train);
        return headers + packets.bytes(train, headers, index);
    }

    @Override
    public boolean segment(SkBuff train, int index, SkBuff target) {
        int headers = headerBytes(train);
        int bytes = packets.bytes(train, headers, index);
        int at = target.put(headers + bytes);
        MemorySegment memory = target.memory();
        MemorySegment.copy(train.memory(), train.data(), memory, at, headers);
        int transportBytes = LidPath.transportBytes(bytes);
        LinkNextHeader next = Lrh.nextHeader(memory, at);
        Lrh.write(
                memory,
                at,
                Lrh.virtualLane(memory, at),
                Lrh.serviceLevel(memory, at),
                next,
                Lrh.destinationLid(memory, at),
                (headers + transportBytes) / Lrh.WORD_BYTES,
                Lrh.sourceLid(memory, at));
        if (next == LinkNextHeader.GLOBAL) {
            Ipv6.payloadLength(memory, at + (long) Lrh.BYTES, transportBytes);
        }
        return packets.write(train, headers, index, memory, at + headers);
    }

    private static int headerBytes(SkBuff train) {
        return (int) (LocalPacket.bthOffset(train.memory(), train.data()) - train.data());
    }
}
