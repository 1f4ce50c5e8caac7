// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.carrier;

import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.port.TrainPackets;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import io.rdma4j.wire.roce.Icrc;
import java.lang.foreign.MemorySegment;

/**
 * Makes finished RoCEv2 packets from the buffers of the engine: segments trains, adds padding and the ICRC. Linux
 * computes the ICRC in {@code rxe_icrc_generate}, one packet at a time.
 *
 * <p>A buffer begins with its IP header and contains the headers of the first packet. The control buffer of a train
 * describes its last packet. For the thread that owns the port loop only.
 */
final class RoceOffload implements PacketOffload {
    private final Icrc icrc = new Icrc();
    private final TrainPackets packets = new TrainPackets();

    /**
     * Returns the bytes of a packet, or of the first one of a train, from its BTH to the end of its ICRC.
     *
     * @param train begins with its BTH
     */
    static int transportBytes(SkBuff train) {
        return TrainPackets.firstBytes(train, 0) + Icrc.BYTES;
    }

    @Override
    public int segmentBytes(SkBuff train, int index) {
        int network = networkBytes(train);
        return network + packets.bytes(train, network, index) + Icrc.BYTES;
    }

    @Override
    public boolean segment(SkBuff train, int index, SkBuff target) {
        int network = networkBytes(train);
        int start = target.put(segmentBytes(train, index));
        MemorySegment memory = target.memory();
        copyNetworkHeaders(train, target, start, network);
        if (!packets.write(train, network, index, memory, start + network)) {
            return false;
        }
        int trailer = target.tail() - Icrc.BYTES;
        Icrc.store(memory, trailer, icrc.compute(memory, target.bytes(), start, trailer));
        return true;
    }

    private static void copyNetworkHeaders(SkBuff train, SkBuff target, int start, int network) {
        MemorySegment memory = target.memory();
        MemorySegment.copy(train.memory(), train.data(), memory, start, network);
        int udp = start + network - Udp.BYTES;
        int udpBytes = target.len() - network + Udp.BYTES;
        Udp.length(memory, udp, udpBytes);
        if (Ipv4.version(memory, start) == Ipv4.VERSION) {
            Ipv4.totalLength(memory, start, target.len());
            Ipv4.updateChecksum(memory, start);
        } else {
            Ipv6.payloadLength(memory, start, udpBytes);
        }
        target.meta().protocol(train.meta().protocol());
        target.setNetworkHeader(0);
        target.setTransportHeader(network - Udp.BYTES);
    }

    private static int networkBytes(SkBuff train) {
        boolean v4 = Ipv4.version(train.memory(), train.data()) == Ipv4.VERSION;
        return (v4 ? Ipv4.BYTES : Ipv6.BYTES) + Udp.BYTES;
    }
}
