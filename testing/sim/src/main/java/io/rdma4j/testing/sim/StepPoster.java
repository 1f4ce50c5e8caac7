package io.rdma4j.testing.sim;

import io.rdma4j.verbs.FlushLevel;
import io.rdma4j.verbs.FlushType;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.SendBatch;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.Sge;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Makes requests of steps, for either door of the API. */
final class StepPoster {
    private static final int STRANGE_KEY = 0x7FFF_FF00;
    private static final int WRAPPED_BYTES = 8;

    private final Endpoint own;
    private final ProgramMemory memory;
    private final MemoryRegion words;
    private final Doors doors;
    private final Forbidden forbidden;

    /** Regions of the target's host that are none of the peer's business. */
    record Forbidden(MemoryRegion ofOtherDomain, MemoryRegion withoutRights) {}

    /** @param words the shared words of the target's host, as registered at the target */
    StepPoster(Endpoint own, ProgramMemory memory, MemoryRegion words, Doors doors, Forbidden forbidden) {
        this.own = own;
        this.memory = memory;
        this.words = words;
        this.doors = doors;
        this.forbidden = forbidden;
    }

    private int rkey(Step step) {
        Crime crime = step.crime();
        if (crime == null) {
            return step.kind().isShared() ? words.rkey() : doors.of(step).key();
        }
        return switch (crime) {
            case STALE_KEY -> doors.remote().getLast().staleKey();
            case FOREIGN_KEY -> forbidden.ofOtherDomain().rkey();
            case PRIVATE_KEY -> forbidden.withoutRights().rkey();
            default -> doors.of(step).key();
        };
    }

    private long address(Step step) {
        Crime crime = step.crime();
        if (crime == null) {
            return step.kind().isShared()
                    ? words.iova() + SharedWords.offset(step)
                    : doors.of(step).address(step.remoteOffset());
        }
        return switch (crime) {
            case STALE_KEY -> doors.remote().getLast().address(0);
            case FOREIGN_KEY -> forbidden.ofOtherDomain().iova();
            case PRIVATE_KEY -> forbidden.withoutRights().iova();
            case BEYOND_END -> behindEnd(step);
            case WRAPPED_RANGE -> -WRAPPED_BYTES;
            default -> doors.of(step).address(0);
        };
    }

    /** The last byte is the first one behind the end; atomics are where a multiple of eight is. */
    private long behindEnd(Step step) {
        long end = doors.of(step).lengthBytes();
        boolean isWord = !step.kind().hasMessageLength();
        return doors.of(step).address(isWord ? end / Long.BYTES * Long.BYTES : end - step.length() + 1);
    }

    private static FlushLevel level(Step step) {
        return (step.key() & 1) == 0 ? FlushLevel.RANGE : FlushLevel.MR;
    }

    /** The pieces of this side's memory, with their key. */
    private List<Sge> pieces(Step step) {
        List<Sge> pieces = new ArrayList<>();
        Place place = step.local();
        if (place == null || step.has(StepFlag.INLINE)) {
            return pieces;
        }
        MemoryRegion region = memory.local().region();
        boolean lands = step.landing() >= 0;
        int lkey = lands ? doors.landing().key() : region.lkey();
        long base = lands ? doors.landing().address(0) : region.iova();
        for (int i = 0; i < place.layout().pieces(); i++) {
            long address = base + place.offset() + place.layout().offset(i);
            pieces.add(
                    new Sge(address, place.layout().length(i), step.crime() == Crime.LOCAL_KEY ? STRANGE_KEY : lkey));
        }
        return pieces;
    }

    /**
     * Adds a step to a batch.
     *
     * @param operand what an atomic compares with, adds, or writes
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
            case UD -> batch.destination(own.path(), own.peerQpn(), Ascent.QKEY);
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
                batch.rdmaReadInvalidate(rkey, address, doors.landing().key());
            case COMPARE_SWAP, SHARED_COMPARE_SWAP -> batch.atomicCompareSwap(rkey, address, operand, step.swap());
            case FETCH_ADD, SHARED_FETCH_ADD -> batch.atomicFetchAdd(rkey, address, operand);
            case MASKED_COMPARE_SWAP ->
                batch.maskedAtomicCompareSwap(rkey, address, operand, step.mask(), step.swap(), step.swapMask());
            case MASKED_FETCH_ADD -> batch.maskedAtomicFetchAdd(rkey, address, operand, step.mask());
            case ATOMIC_WRITE -> batch.atomicWrite(rkey, address, operand);
            case FLUSH -> batch.flush(rkey, address, step.length(), FlushType.GLOBAL.bit(), level(step));
        }
    }

    /** The same step for the friendly door. */
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
            case UD -> request.destination(own.path(), own.peerQpn(), Ascent.QKEY);
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
                        rkey, address, doors.landing().key());
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
