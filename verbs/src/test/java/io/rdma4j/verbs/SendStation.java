// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.verbs.spi.ring.QueueOwner;
import io.rdma4j.verbs.spi.ring.RingMemory;
import io.rdma4j.verbs.spi.ring.RingSendBatch;
import io.rdma4j.verbs.spi.ring.SendQueue;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.FlushLevel;
import io.rdma4j.verbs.wr.FlushType;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.Sge;
import io.rdma4j.verbs.wr.WindowType;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** A send queue that no device empties, and one request of each operation to put into it. */
final class SendStation implements QueueOwner {
    static final int RKEY = 0x1234_5678;
    static final long REMOTE = 0x7000_0000_1000L;
    static final long COMPARE = 0x1111_2222_3333_4444L;
    static final long SWAP = 0x5555_6666_7777_8888L;
    static final long COMPARE_MASK = 0x00FF_00FF_00FF_00FFL;
    static final long SWAP_MASK = 0xFF00_FF00_FF00_FF00L;
    static final MemorySegment HEADER = Arena.ofAuto().allocateFrom("a header of 27 bytes or so");

    final SendQueue queue;
    int doorbells;

    private final RingSendBatch batch;
    private final QpType type;

    SendStation(QpType type, Set<WrOpcode> operations) {
        this.type = type;
        this.queue = new SendQueue(7, 3, 64);
        this.batch = new RingSendBatch(queue, this, type, operations, Set.of(), type == QpType.UD);
    }

    SendStation(QpType type) {
        this(type, EnumSet.allOf(WrOpcode.class));
    }

    /** A valid request of {@code opcode} without data and destination, with objects of {@code fixture}. */
    static SendRequest.Builder request(WrOpcode opcode, Fixture fixture) {
        return switch (opcode) {
            case SEND -> SendRequest.send();
            case SEND_WITH_IMM -> SendRequest.sendWithImmediate(77);
            case SEND_WITH_INV -> SendRequest.sendWithInvalidate(RKEY);
            case RDMA_WRITE -> SendRequest.rdmaWrite(RKEY, REMOTE);
            case RDMA_WRITE_WITH_IMM -> SendRequest.rdmaWriteWithImmediate(RKEY, REMOTE, 78);
            case RDMA_READ -> SendRequest.rdmaRead(RKEY, REMOTE);
            case RDMA_READ_WITH_INV -> SendRequest.rdmaReadWithInvalidate(RKEY, REMOTE, 79);
            case ATOMIC_CMP_AND_SWP -> SendRequest.atomicCompareSwap(RKEY, REMOTE, COMPARE, SWAP);
            case ATOMIC_FETCH_AND_ADD -> SendRequest.atomicFetchAdd(RKEY, REMOTE, COMPARE);
            case MASKED_ATOMIC_CMP_AND_SWP ->
                SendRequest.maskedAtomicCompareSwap(RKEY, REMOTE, COMPARE, COMPARE_MASK, SWAP, SWAP_MASK);
            case MASKED_ATOMIC_FETCH_AND_ADD -> SendRequest.maskedAtomicFetchAdd(RKEY, REMOTE, COMPARE, COMPARE_MASK);
            case FLUSH -> SendRequest.flush(RKEY, REMOTE, 4096, Set.of(FlushType.PERSISTENT), FlushLevel.RANGE);
            case ATOMIC_WRITE -> SendRequest.atomicWrite(RKEY, REMOTE, SWAP);
            case LOCAL_INV -> SendRequest.localInvalidate(RKEY);
            case BIND_MW -> {
                MemoryRegion region = fixture.bindable(4096);
                WindowBinding binding = WindowBinding.of(
                        region, region.iova() + 64, 128, Set.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE));
                yield SendRequest.bindWindow(fixture.pd.allocateWindow(WindowType.TYPE_2), RKEY, binding);
            }
            case REG_MR -> {
                FastMemoryRegion region = fixture.pd.allocateFastRegion(4);
                region.map(List.of(fixture.pages(2)));
                yield SendRequest.registerMemory(region, RKEY, Set.of(AccessFlag.LOCAL_WRITE));
            }
            case TSO -> SendRequest.sendSegmented(HEADER, 1000);
        };
    }

    /** A valid request with the data and the destination that the operation and the transport require. */
    SendRequest complete(WrOpcode opcode, Fixture fixture) {
        SendRequest.Builder builder = request(opcode, fixture);
        if (opcode.name().contains("ATOMIC_CMP") || opcode.name().contains("ATOMIC_FETCH")) {
            builder.sge(new Sge(0x1000, 8, 5));
        }
        if (type == QpType.UD || type == QpType.GSI || type == QpType.SMI) {

            builder.destination(fixture.pd.createAddressHandle(fixture.path()), 0x123456, 0x8001_0000);
        } else if (type == QpType.XRC_INI) {
            builder.xrcSrq(0xABCDEF);
        }
        return builder.build();
    }

    /** Posts the request in a batch of its own. */
    void post(SendRequest request) {
        SendBatch open = batch.start();
        request.addTo(open);
        open.complete();
    }

    SendBatch start() {
        return batch.start();
    }

    RingMemory memory() {
        return queue.memory();
    }

    /** Offset of the element of the {@code index}th request. */
    long element(int index) {
        return queue.ring().offset(index);
    }

    int posted() {
        return queue.ring()
                .distance(queue.ring().acquireProducer(), queue.ring().ownConsumer());
    }

    @Override
    public QpState state() {
        return QpState.RTS;
    }

    @Override
    public void sendDoorbell() {
        doorbells++;
    }

    @Override
    public void receiveDoorbell() {}
}
