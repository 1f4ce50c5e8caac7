// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Cpu;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.WcFlag;

/** Polls completions into an array of {@code struct ibv_wc}. */
final class PolledCompletions {
    private static final int WC_BYTES = 48;

    /**
     * Empty polls after which the thread yields. Programs poll without pause; on a machine with fewer CPUs than polling
     * threads the thread that they wait for would get the CPU only at the end of a time slice.
     */
    private static final int POLLS_BEFORE_YIELD = 32;

    /** A counter of all threads; lost increments do no harm. */
    private static int emptyPolls;

    private PolledCompletions() {}

    /** @param pointer address of the {@code struct ibv_cq} */
    static CompletionQueue queue(long pointer) {
        return ObjectTable.get(CMemory.getInt(pointer + 24), CompletionQueue.class);
    }

    /**
     * Polls into an array of {@code struct ibv_wc}, or of {@code struct polled}, which has a timestamp behind it.
     *
     * @param max maximum number of completions
     * @param elementBytes bytes of an element of the array
     * @return the number of completions
     */
    static int poll(long pointer, int max, int elementBytes, long array) {
        int count = 0;
        try (CompletionCursor cursor = queue(pointer).startPoll()) {
            long wc = array;
            while (count < max && cursor.next()) {
                put(wc, cursor);
                if (elementBytes > WC_BYTES) {
                    CMemory.putLong(wc + WC_BYTES, cursor.timestampNs());
                }
                wc += elementBytes;
                count++;
            }
        }
        if (count == 0 && ++emptyPolls >= POLLS_BEFORE_YIELD) {
            emptyPolls = 0;
            Cpu.giveWay();
        }
        return count;
    }

    private static void put(long wc, CompletionCursor cursor) {
        int flags = cursor.flags();
        boolean withImmediate = (flags & WcFlag.WITH_IMM.bit()) != 0;
        CMemory.putLong(wc, cursor.wrId());
        CMemory.putInt(wc + 8, cursor.status().code());
        CMemory.putInt(wc + 12, cursor.opcode().code());
        CMemory.putInt(wc + 16, cursor.vendorError());
        CMemory.putInt(wc + 20, cursor.byteLength());
        CMemory.putInt(wc + 24, withImmediate ? Integer.reverseBytes(cursor.immediate()) : cursor.immediate());
        CMemory.putInt(wc + 28, cursor.qpNumber());
        CMemory.putInt(wc + 32, cursor.sourceQp());
        CMemory.putInt(wc + 36, flags);
        CMemory.putShort(wc + 40, cursor.pkeyIndex());
        CMemory.putShort(wc + 42, cursor.sourceLid());
        CMemory.putByte(wc + 44, cursor.serviceLevel());
        CMemory.putByte(wc + 45, cursor.destinationPathBits());
    }
}
