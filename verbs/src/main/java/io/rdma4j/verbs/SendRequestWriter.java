// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.wr.FlushType;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.Sge;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Writes a {@link SendRequest} into a {@link SendBatch}. Allocates nothing. */
final class SendRequestWriter {
    private SendRequestWriter() {}

    static void write(SendRequest request, SendBatch batch) {
        attributes(request, batch);
        operation(request, batch);
        destination(request, batch);
        List<Sge> sges = request.sges();
        for (int i = 0; i < sges.size(); i++) { // an iterator would be garbage for each request
            Sge sge = sges.get(i);
            batch.sge(sge.lkey(), sge.address(), sge.length());
        }
        MemorySegment inlineData = request.inlineData();
        if (inlineData != null) {
            batch.inline(inlineData);
        }
    }

    private static void attributes(SendRequest request, SendBatch batch) {
        batch.wrId(request.wrId());
        if (request.flags().contains(SendFlag.SIGNALED)) {
            batch.signaled();
        }
        if (request.flags().contains(SendFlag.SOLICITED)) {
            batch.solicited();
        }
        if (request.flags().contains(SendFlag.IP_CSUM)) {
            batch.ipChecksum();
        }
        if (request.flags().contains(SendFlag.FENCE)) {
            batch.fenced();
        }
    }

    private static void operation(SendRequest request, SendBatch batch) {
        switch (request.operation()) {
            case SendOperation.Plain _ -> plain(request, batch);
            case SendOperation.Remote to -> remote(request, batch, to);
            case SendOperation.Atomic atomic -> atomic(request, batch, atomic);
            case SendOperation.AtomicWrite write ->
                batch.atomicWrite(write.to().rkey(), write.to().address(), write.value());
            case SendOperation.Flush flush ->
                batch.flush(
                        flush.from().rkey(),
                        flush.from().address(),
                        flush.lengthBytes(),
                        FlushType.mask(flush.types()),
                        flush.level());
            case SendOperation.Bind bind -> {
                WindowBinding to = bind.binding();
                int access = AccessFlag.mask(to.access());
                batch.bindWindow(bind.window(), bind.rkey(), to.region(), to.address(), to.length(), access);
            }
            case SendOperation.Registration registration ->
                batch.registerMemory(registration.region(), registration.key(), AccessFlag.mask(registration.access()));
            case SendOperation.Segmented segmented -> batch.sendSegmented(segmented.header(), segmented.segmentBytes());
        }
    }

    @SuppressWarnings("StatementSwitchToExpressionSwitch") // the record's constructor rejects other opcodes
    private static void plain(SendRequest request, SendBatch batch) {
        switch (request.opcode()) {
            case SEND_WITH_IMM -> batch.sendImm(request.immediate());
            case SEND_WITH_INV -> batch.sendInvalidate(request.immediate());
            case LOCAL_INV -> batch.localInvalidate(request.immediate());
            default -> batch.send();
        }
    }

    private static void remote(SendRequest request, SendBatch batch, SendOperation.Remote to) {
        switch (request.opcode()) {
            case RDMA_WRITE_WITH_IMM -> batch.rdmaWriteImm(to.rkey(), to.address(), request.immediate());
            case RDMA_READ -> batch.rdmaRead(to.rkey(), to.address());
            case RDMA_READ_WITH_INV -> batch.rdmaReadInvalidate(to.rkey(), to.address(), request.immediate());
            default -> batch.rdmaWrite(to.rkey(), to.address());
        }
    }

    private static void atomic(SendRequest request, SendBatch batch, SendOperation.Atomic atomic) {
        int rkey = atomic.to().rkey();
        long address = atomic.to().address();
        switch (request.opcode()) {
            case ATOMIC_CMP_AND_SWP -> batch.atomicCompareSwap(rkey, address, atomic.compareAdd(), atomic.swap());
            case MASKED_ATOMIC_CMP_AND_SWP ->
                batch.maskedAtomicCompareSwap(
                        rkey, address, atomic.compareAdd(), atomic.compareAddMask(), atomic.swap(), atomic.swapMask());
            case MASKED_ATOMIC_FETCH_AND_ADD ->
                batch.maskedAtomicFetchAdd(rkey, address, atomic.compareAdd(), atomic.compareAddMask());
            default -> batch.atomicFetchAdd(rkey, address, atomic.compareAdd());
        }
    }

    private static void destination(SendRequest request, SendBatch batch) {
        switch (request.destination()) {
            case SendDestination.Datagram to -> {
                batch.destination(to.path(), to.remoteQpn(), to.remoteQkey());
                if (to.pkeyIndex().isPresent()) {
                    batch.pkeyIndex(to.pkeyIndex().getAsInt());
                }
            }
            case SendDestination.XrcSrq to -> batch.xrcSrq(to.number());
            case null -> {}
        }
    }
}
