// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.responder;

import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.wire.Feth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Operation;

/** Rules for request packets that need no state of the queue pair except its attributes. */
final class RequestRules {
    private RequestRules() {}

    /**
     * Access rights that the peer's operation needs, of the queue pair and of the memory (IBA 9.7.4.1.5): bits of
     * {@link AccessFlag}; 0 for a SEND.
     */
    static int access(PacketContext packet) {
        return switch (packet.opcode.operation()) {
            case WRITE, ATOMIC_WRITE -> AccessFlag.REMOTE_WRITE.bit();
            case READ_REQUEST -> AccessFlag.REMOTE_READ.bit();
            case COMPARE_SWAP, FETCH_ADD, MASKED_COMPARE_SWAP, MASKED_FETCH_ADD -> AccessFlag.REMOTE_ATOMIC.bit();
            case FLUSH -> flushAccess(Feth.placement(packet.memory(), packet.at(Header.FETH)));
            default -> 0;
        };
    }

    private static int flushAccess(int placement) {
        int global = (placement & Feth.PLACEMENT_GLOBAL) != 0 ? AccessFlag.FLUSH_GLOBAL.bit() : 0;
        return (placement & Feth.PLACEMENT_PERSISTENT) != 0 ? global | AccessFlag.FLUSH_PERSISTENT.bit() : global;
    }

    /** IBA 9.7.4.1.7: all packets of a message but the last are full; requests without payload have none. */
    static boolean fitsPath(PacketContext packet, int mtu) {
        if (packet.isTrain() && packet.skb.shinfo().gsoSize() != mtu) {
            return false;
        }
        Opcode last = packet.lastOpcode;
        if (!last.hasPayload()) {
            return packet.payloadBytes == 0;
        }
        if (last.operation() == Operation.ATOMIC_WRITE) {
            return packet.payloadBytes == Long.BYTES;
        }
        long lastBytes = packet.payloadBytes - (long) (packet.packets - 1) * mtu;
        if (!last.endsMessage()) {
            return lastBytes == mtu;
        }
        boolean mayBeEmpty = packet.opcode.startsMessage() && packet.packets == 1;
        return lastBytes <= mtu && lastBytes >= (mayBeEmpty ? 0 : 1);
    }
}
