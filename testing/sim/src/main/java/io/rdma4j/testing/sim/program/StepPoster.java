// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.testing.sim.world.QpConnector;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.testing.sim.world.Slot;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.wr.FlushLevel;
import io.rdma4j.verbs.wr.FlushType;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.Sge;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Posts steps, with {@code SendBatch} or as {@code SendRequest}. */
final class StepPoster {
    private static final int STRANGE_KEY = 0x7FFF_FF00;
    private static final int WRAPPED_BYTES = 8;

    private final SimEndpoint own;
    private final ProgramMemory memory;
    private final MemoryRegion words;
    private final KeyedAccesses accesses;
    private final Forbidden forbidden;

    /** Regions of the target's host that the peer must not access. */
    record Forbidden(MemoryRegion ofOtherDomain, MemoryRegion withoutRights) {}

    /** @param words the shared words of the target's host, as registered at the target */
    StepPoster(SimEndpoint own, ProgramMemory memory, MemoryRegion words, KeyedAccesses accesses, Forbidden forbidden) {
        this.own = own;
        this.memory = memory;
        this.words = words;
        this.accesses = accesses;
        this.forbidden = forbidden;
    }

    private int rkey(Step step) {
        ProtocolViolation violation = step.violation();
        if (violation == null) {
            return step.kind().isShared() ? words.rkey() : accesses.of(step).key();
        }
        return switch (violation) {
            case STALE_KEY -> accesses.remote().getLast().staleKey();
            case FOREIGN_KEY -> forbidden.ofOtherDomain().rkey();
            case PRIVATE_KEY -> forbidden.withoutRights().rkey();
            default -> accesses.of(step).key();
        };
    }

    private long address(Step step) {
        ProtocolViolation violation = step.violation();
        if (violation == null) {
            return step.kind().isShared()
                    ? words.iova() + SharedWords.offset(step)
                    : accesses.of(step).address(step.remoteOffset());
        }
        return switch (violation) {
            case STALE_KEY -> accesses.remote().getLast().address(0);
            case FOREIGN_KEY -> forbidden.ofOtherDomain().iova();
            case PRIVATE_KEY -> forbidden.withoutRights().iova();
            case BEYOND_END -> behindEnd(step);
            case WRAPPED_RANGE -> -WRAPPED_BYTES;
            default -> accesses.of(step).address(0);
        };
    }

    /** Returns an address so that the last byte is behind the end of the region; atomics are aligned to 8 bytes. */
    private long behindEnd(Step step) {
        long end = accesses.of(step).lengthBytes();
        boolean isWord = !step.kind().hasMessageLength();
        return accesses.of(step).address(isWord ? end / Long.BYTES * Long.BYTES : end - step.length() + 1);
    }

    private static FlushLevel level(Step step) {
        return (step.key() & 1) == 0 ? FlushLevel.RANGE : FlushLevel.MR;
    }

    /** Scatter/gather list of the local memory. */
    private List<Sge> pieces(Step step) {
        List<Sge> pieces = new ArrayList<>();
        Slot slot = step.local();
        if (slot == null || step.has(StepFlag.INLINE)) {
            return pieces;
        }
        MemoryRegion region = memory.local().region();
        boolean lands = step.landing() >= 0;
        int lkey = lands ? accesses.landing().key() : region.lkey();
        long base = lands ? accesses.landing().address(0) : region.iova();
        for (int i = 0; i < slot.layout().pieces(); i++) {
            long address = base + slot.offset() + slot.layout().offset(i);
            pieces.add(new Sge(
                    address,
                    slot.layout().length(i),
                    step.violation() == ProtocolViolation.LOCAL_KEY ? STRANGE_KEY : lkey));
        }
        return pieces;
    }

    /**
     * Adds a step to a batch.
     *
     * @param operand value that an atomic compares with, adds, or writes
     */
    void add(SendBatch batch, Step step, boolean signaled, long operand) {
        batch.wrId(step.index());
        if (signaled) {
            batch.signaled();
        }
        if (step.has(StepFlag.SOLICITED)) {
            batch.solicited();
        }
        if (step.has(StepFlag.FENCED)) {
            batch.fenced();
        }
        addOperation(batch, step, operand);
        switch (own.service()) {
            case UD -> batch.destination(own.path(), own.peerQpn(), QpConnector.QKEY);
            case XRC -> batch.xrcSrq(own.peerQueue());
            case RC, UC -> {}
        }
        if (step.has(StepFlag.INLINE)) {
            batch.inline(memory.payload(step));
        }
        pieces(step).forEach(piece -> batch.sge(piece.lkey(), piece.address(), piece.length()));
    }

    private void addOperation(SendBatch batch, Step step, long operand) {
        int rkey = rkey(step);
        long address = address(step);
        switch (step.kind()) {
            case SEND -> batch.send();
            case SEND_WITH_IMMEDIATE -> batch.sendImm(step.immediate());
            case SEND_WITH_INVALIDATE -> batch.sendInvalidate(rkey);
            case WRITE -> batch.rdmaWrite(rkey, address);
            case WRITE_WITH_IMMEDIATE -> batch.rdmaWriteImm(rkey, address, step.immediate());
            case READ -> batch.rdmaRead(rkey, address);
            case READ_WITH_INVALIDATE ->
                batch.rdmaReadInvalidate(rkey, address, accesses.landing().key());
            case COMPARE_SWAP, SHARED_COMPARE_SWAP -> batch.atomicCompareSwap(rkey, address, operand, step.swap());
            case FETCH_ADD, SHARED_FETCH_ADD -> batch.atomicFetchAdd(rkey, address, operand);
            case MASKED_COMPARE_SWAP ->
                batch.maskedAtomicCompareSwap(rkey, address, operand, step.mask(), step.swap(), step.swapMask());
            case MASKED_FETCH_ADD -> batch.maskedAtomicFetchAdd(rkey, address, operand, step.mask());
            case ATOMIC_WRITE -> batch.atomicWrite(rkey, address, operand);
            case FLUSH -> batch.flush(rkey, address, step.length(), FlushType.GLOBAL.bit(), level(step));
        }
    }

    /** Returns the step as {@code SendRequest}. */
    SendRequest request(Step step, boolean signaled, long operand) {
        SendRequest.Builder request = operation(step, operand).wrId(step.index());
        if (signaled) {
            request.signaled();
        }
        if (step.has(StepFlag.SOLICITED)) {
            request.solicited();
        }
        if (step.has(StepFlag.FENCED)) {
            request.fenced();
        }
        switch (own.service()) {
            case UD -> request.destination(own.path(), own.peerQpn(), QpConnector.QKEY);
            case XRC -> request.xrcSrq(own.peerQueue());
            case RC, UC -> {}
        }
        if (step.has(StepFlag.INLINE)) {
            MemorySegment bytes = memory.payload(step);
            request.inlineData(bytes);
        }
        pieces(step).forEach(request::sge);
        return request.build();
    }

    private SendRequest.Builder operation(Step step, long operand) {
        int rkey = rkey(step);
        long address = address(step);
        return switch (step.kind()) {
            case SEND -> SendRequest.send();
            case SEND_WITH_IMMEDIATE -> SendRequest.sendWithImmediate(step.immediate());
            case SEND_WITH_INVALIDATE -> SendRequest.sendWithInvalidate(rkey);
            case WRITE -> SendRequest.rdmaWrite(rkey, address);
            case WRITE_WITH_IMMEDIATE -> SendRequest.rdmaWriteWithImmediate(rkey, address, step.immediate());
            case READ -> SendRequest.rdmaRead(rkey, address);
            case READ_WITH_INVALIDATE ->
                SendRequest.rdmaReadWithInvalidate(
                        rkey, address, accesses.landing().key());
            case COMPARE_SWAP, SHARED_COMPARE_SWAP ->
                SendRequest.atomicCompareSwap(rkey, address, operand, step.swap());
            case FETCH_ADD, SHARED_FETCH_ADD -> SendRequest.atomicFetchAdd(rkey, address, operand);
            case MASKED_COMPARE_SWAP ->
                SendRequest.maskedAtomicCompareSwap(rkey, address, operand, step.mask(), step.swap(), step.swapMask());
            case MASKED_FETCH_ADD -> SendRequest.maskedAtomicFetchAdd(rkey, address, operand, step.mask());
            case ATOMIC_WRITE -> SendRequest.atomicWrite(rkey, address, operand);
            case FLUSH -> SendRequest.flush(rkey, address, step.length(), Set.of(FlushType.GLOBAL), level(step));
        };
    }
}
