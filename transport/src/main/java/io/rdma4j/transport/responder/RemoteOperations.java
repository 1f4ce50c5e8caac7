// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.responder;

import io.rdma4j.base.Psn;
import io.rdma4j.transport.common.QpCore;
import io.rdma4j.transport.port.LinkMessage;
import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.wire.AtomicEth;
import io.rdma4j.wire.AtomicMaskEth;
import io.rdma4j.wire.Feth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Operation;
import io.rdma4j.wire.Reth;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The steps of the responder's ladder for memory that the peer names: they resolve it, check access, and execute the
 * operation (IBA 9.7.4.1.7, 9.7.5.2.7). Corresponds to {@code check_rkey}, {@code write_data_in} and
 * {@code atomic_reply} of rxe.
 */
final class RemoteOperations {
    /** IBA 9.3.3: the maximum length of a message. */
    private static final long MAX_MESSAGE_BYTES = 1L << 31;

    private final QpCore qp;
    private final ReplayTable replays;
    private @Nullable RemoteTarget target;

    private Object protectionDomain;
    private long written;

    RemoteOperations(QpCore qp, ReplayTable replays) {
        this.qp = qp;
        this.replays = replays;
        this.protectionDomain = qp.protectionDomain();
    }

    /** The memory that the peer names; made at the first request that names some. */
    private RemoteTarget target() {
        RemoteTarget made = target;
        if (made == null) {
            made = new RemoteTarget(qp.keys(), qp);
            target = made;
        }
        return made;
    }

    /** Sets the protection domain that memory must belong to: for XRC requests that of their shared receive queue. */
    void protectionDomain(Object domain) {
        protectionDomain = domain;
    }

    Object protectionDomain() {
        return protectionDomain;
    }

    /** Bytes of the current WRITE so far. */
    long written() {
        return written;
    }

    /** Bytes of the current WRITE that are still to come. */
    long left() {
        return target().left();
    }

    /** Resolves the memory that the request names, if this packet names it. */
    Verdict checkKey(PacketContext packet) {
        MemorySegment memory = packet.memory();
        if (packet.opcode.isAtomic()) {
            long at = packet.at(Header.ATOMICETH);
            return resolveWord(AtomicEth.rkey(memory, at), AtomicEth.virtualAddress(memory, at), packet);
        }
        if (!packet.opcode.startsMessage() || !packet.opcode.carries(Header.RETH)) {
            return Verdict.PASS;
        }
        long at = packet.at(Header.RETH);
        int rkey = Reth.rkey(memory, at);
        long address = Reth.virtualAddress(memory, at);
        long length = Reth.dmaLength(memory, at);
        return switch (packet.opcode.operation()) {
            case ATOMIC_WRITE -> length == Long.BYTES ? resolveWord(rkey, address, packet) : Verdict.BAD_LENGTH;
            case FLUSH -> resolveFlush(rkey, address, length, packet);
            default -> {
                written = 0;
                yield length > MAX_MESSAGE_BYTES ? Verdict.BAD_LENGTH : resolve(rkey, address, length, packet);
            }
        };
    }

    private Verdict resolve(int rkey, long address, long length, PacketContext packet) {
        boolean found = target().resolve(protectionDomain, rkey, address, length, RequestRules.access(packet));
        return found ? Verdict.PASS : denied(packet);
    }

    /** The verdict for denied access; a receive request for immediate data completes with it. */
    private static Verdict denied(PacketContext packet) {
        boolean immediate = packet.opcode.operation() == Operation.WRITE && packet.lastOpcode.takesReceive();
        return immediate ? Verdict.IMMEDIATE_ACCESS : Verdict.REMOTE_ACCESS;
    }

    /**
     * Resolves eight bytes that are changed atomically: their address must be a multiple of eight for the peer and for
     * this machine.
     */
    private Verdict resolveWord(int rkey, long address, PacketContext packet) {
        if ((address & (Long.BYTES - 1)) != 0) {
            return Verdict.MISALIGNED_ATOMIC;
        }
        Verdict verdict = resolve(rkey, address, Long.BYTES, packet);
        return verdict != Verdict.PASS || target().isAligned() ? verdict : Verdict.MISALIGNED_ATOMIC;
    }

    private Verdict resolveFlush(int rkey, long address, long length, PacketContext packet) {
        return switch (Feth.selectivity(packet.memory(), packet.at(Header.FETH))) {
            case Feth.SELECTIVITY_RANGE -> resolve(rkey, address, length, packet);
            case Feth.SELECTIVITY_MR -> {
                boolean found = target().resolveWhole(protectionDomain, rkey, RequestRules.access(packet));
                yield found ? Verdict.PASS : Verdict.REMOTE_ACCESS;
            }
            default -> Verdict.UNSUPPORTED_REQUEST;
        };
    }

    Verdict write(PacketContext packet) {
        if (!target().write(packet.skb, packet.payloadOffset, packet.payloadBytes)) {
            // If the sender, on this machine, has closed the memory of the payload, its own requester will fail.
            return packet.skb.shinfo().hasAllBytes() ? denied(packet) : Verdict.DROP;
        }
        written += packet.payloadBytes;
        return Verdict.PASS;
    }

    /**
     * Executes a WRITE that arrived as a whole; false if its memory is not accessible to the peer.
     *
     * @param inLoop whether the caller owns the port loop; if not, the memory must be fixed
     * @throws IllegalStateException if memory on either side was closed
     */
    boolean write(LinkMessage message, boolean inLoop) {
        written = message.length;
        if (message.length == 0) {
            return true;
        }
        return target().resolve(protectionDomain, message.rkey, message.address, message.length, message.access())
                && (inLoop || target().isFixed())
                && target().write(message.memory, message.offset, message.length);
    }

    /**
     * Executes READ, atomics, FLUSH and ATOMIC WRITE. A READ is executed when the responses are sent, all others now.
     */
    Verdict executeWithAnswer(PacketContext packet) {
        MemorySegment memory = packet.memory();
        ReplayEntry entry = replays.add();
        entry.begin(packet.opcode.operation(), packet.psn, 1);
        try {
            switch (entry.operation) {
                case READ_REQUEST -> beginRead(entry, packet);
                case COMPARE_SWAP, FETCH_ADD, MASKED_COMPARE_SWAP, MASKED_FETCH_ADD ->
                    entry.original = executeAtomic(packet);
                case ATOMIC_WRITE -> {
                    MemorySegment value = qp.scratch();
                    packet.skb.copyBits(packet.payloadOffset, value, 0, Long.BYTES);
                    target().store(value.get(ValueLayout.JAVA_LONG, 0));
                }
                case FLUSH -> {
                    int placement = Feth.placement(memory, packet.at(Header.FETH));
                    target().flush((placement & Feth.PLACEMENT_PERSISTENT) != 0);
                }
                default -> throw new IllegalStateException(entry.operation + " has no answer");
            }
        } catch (IllegalStateException closed) {
            entry.owed = false;
            return Verdict.REMOTE_ACCESS;
        } catch (UncheckedIOException fault) {
            entry.owed = false;
            return Verdict.MEMORY_FAULT;
        }
        return Verdict.PASS;
    }

    /** The memory of a request is gone: the request is not answered. */
    void faulted(PacketContext packet) {
        ReplayEntry entry = replays.find(packet.psn);
        if (entry != null) {
            entry.owed = false;
        }
    }

    /** Returns the original value. */
    private long executeAtomic(PacketContext packet) {
        MemorySegment memory = packet.memory();
        long at = packet.at(Header.ATOMICETH);
        long compare = AtomicEth.compare(memory, at);
        long value = AtomicEth.swapOrAdd(memory, at);
        if (!packet.opcode.carries(Header.ATOMICMASKETH)) {
            boolean adds = packet.opcode.operation() == Operation.FETCH_ADD;
            return adds ? target().fetchAndAdd(value) : target().compareAndSwap(compare, value);
        }
        long masks = packet.at(Header.ATOMICMASKETH);
        long compareAddMask = AtomicMaskEth.compareAddMask(memory, masks);
        boolean adds = packet.opcode.operation() == Operation.MASKED_FETCH_ADD;
        return adds
                ? target().fetchAndAdd(value, compareAddMask)
                : target().compareAndSwap(compare, compareAddMask, value, AtomicMaskEth.swapMask(memory, masks));
    }

    private void beginRead(ReplayEntry entry, PacketContext packet) {
        long at = packet.at(Header.RETH);
        entry.address = Reth.virtualAddress(packet.memory(), at);
        entry.rkey = Reth.rkey(packet.memory(), at);
        entry.length = Reth.dmaLength(packet.memory(), at);
        entry.protectionDomain = protectionDomain;
        entry.begin(Operation.READ_REQUEST, packet.psn, qp.connection().packets(entry.length));
    }

    /** The PSN after a request: a READ consumes the PSNs of its response. */
    int nextPsn(PacketContext packet) {
        if (packet.opcode.operation() != Operation.READ_REQUEST) {
            return Psn.next(packet.lastPsn());
        }
        long length = Reth.dmaLength(packet.memory(), packet.at(Header.RETH));
        return Psn.add(packet.psn, qp.connection().packets(length));
    }

    /**
     * Queues the response to a duplicate request: a READ is executed again, for all others the response is repeated
     * (IBA 9.7.5.1.3).
     *
     * @return false if it is not a duplicate of a known request
     */
    boolean answerAgain(PacketContext packet) {
        ReplayEntry entry = replays.find(packet.psn);
        if (entry == null || entry.operation != packet.opcode.operation()) {
            return false;
        }
        if (entry.operation != Operation.READ_REQUEST) {
            entry.oweFrom(entry.firstPsn);
            return true;
        }
        boolean part = isPartOf(entry, packet);
        if (part) {
            entry.oweFrom(packet.psn);
        }
        return part;
    }

    /** True if a duplicate READ matches the entry; it may ask for the rest of the data only. */
    private boolean isPartOf(ReplayEntry entry, PacketContext packet) {
        long at = packet.at(Header.RETH);
        long offset = (long) Psn.distance(packet.psn, entry.firstPsn)
                * qp.connection().pathMtuBytes();
        return Reth.rkey(packet.memory(), at) == entry.rkey
                && Reth.virtualAddress(packet.memory(), at) == entry.address + offset
                && Reth.dmaLength(packet.memory(), at) == entry.length - offset;
    }
}
