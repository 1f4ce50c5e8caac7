package io.rdma4j.testing.sim;

import io.rdma4j.verbs.FlushLevel;
import io.rdma4j.verbs.FlushType;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.SendBatch;
import io.rdma4j.verbs.SendRequest;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Makes requests of steps, for either door of the API. */
final class StepPoster {
    private final ProgramMemory memory;
    private final MemoryRegion words;

    /** @param words the shared words of the target's host, as registered at the target */
    StepPoster(ProgramMemory memory, MemoryRegion words) {
        this.memory = memory;
        this.words = words;
    }

    private int rkey(Step step) {
        return (step.kind().isShared() ? words : memory.remote().region()).rkey();
    }

    private long address(Step step) {
        return step.kind().isShared()
                ? words.iova() + SharedWords.offset(step)
                : memory.remote().region().iova() + step.remoteOffset();
    }

    private static FlushLevel level(Step step) {
        return (step.key() & 1) == 0 ? FlushLevel.RANGE : FlushLevel.MR;
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
        if (step.solicited()) {
            batch.solicited();
        }
        if (step.fenced()) {
            batch.fenced();
        }
        addOperation(batch, step, operand);
        Place place = step.local();
        if (step.inline()) {
            batch.inline(memory.payload(step));
        } else if (place != null) {
            MemoryRegion region = memory.local().region();
            for (int i = 0; i < place.layout().pieces(); i++) {
                long address = region.iova() + place.offset() + place.layout().offset(i);
                batch.sge(region.lkey(), address, place.layout().length(i));
            }
        }
    }

    private void addOperation(SendBatch batch, Step step, long operand) {
        int rkey = rkey(step);
        long address = address(step);
        switch (step.kind()) {
            case SEND -> batch.send();
            case SEND_WITH_IMMEDIATE -> batch.sendImm(step.immediate());
            case WRITE -> batch.rdmaWrite(rkey, address);
            case WRITE_WITH_IMMEDIATE -> batch.rdmaWriteImm(rkey, address, step.immediate());
            case READ -> batch.rdmaRead(rkey, address);
            case COMPARE_SWAP, SHARED_COMPARE_SWAP -> batch.atomicCompareSwap(rkey, address, operand, step.swap());
            case FETCH_ADD, SHARED_FETCH_ADD -> batch.atomicFetchAdd(rkey, address, operand);
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
        if (step.solicited()) {
            request.solicited();
        }
        if (step.fenced()) {
            request.fenced();
        }
        Place place = step.local();
        if (step.inline()) {
            MemorySegment bytes = memory.payload(step);
            request.inlineData(bytes);
        } else if (place != null) {
            for (int i = 0; i < place.layout().pieces(); i++) {
                long offset = place.offset() + place.layout().offset(i);
                request.sge(memory.local().region().sge(offset, place.layout().length(i)));
            }
        }
        return request.build();
    }

    private SendRequest.Builder operation(Step step, long operand) {
        int rkey = rkey(step);
        long address = address(step);
        return switch (step.kind()) {
            case SEND -> SendRequest.send();
            case SEND_WITH_IMMEDIATE -> SendRequest.sendWithImmediate(step.immediate());
            case WRITE -> SendRequest.rdmaWrite(rkey, address);
            case WRITE_WITH_IMMEDIATE -> SendRequest.rdmaWriteWithImmediate(rkey, address, step.immediate());
            case READ -> SendRequest.rdmaRead(rkey, address);
            case COMPARE_SWAP, SHARED_COMPARE_SWAP ->
                SendRequest.atomicCompareSwap(rkey, address, operand, step.swap());
            case FETCH_ADD, SHARED_FETCH_ADD -> SendRequest.atomicFetchAdd(rkey, address, operand);
            case ATOMIC_WRITE -> SendRequest.atomicWrite(rkey, address, operand);
            case FLUSH -> SendRequest.flush(rkey, address, step.length(), Set.of(FlushType.GLOBAL), level(step));
        };
    }
}
