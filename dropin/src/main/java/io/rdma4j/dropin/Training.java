// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.rdmacm.PortSpace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

/**
 * Calls what a C program calls at its start, so that the JVM records it for the start-up cache of {@code ./rdma4j run}:
 * lists the devices, opens the first one, sends a message from a queue pair to itself, and listens.
 */
final class Training {
    private static final int QP = 256;
    private static final int CQ = QP + 256;
    private static final int ATTRIBUTES = CQ + 256;
    private static final int WR = ATTRIBUTES + 512;
    private static final int SGE = WR + 128;
    private static final int WC = SGE + 16;
    private static final int MR = WC + 48;
    private static final int DATA = MR + 64;
    private static final int RECORDS = DATA + 64;
    private static final int ARGUMENTS = RECORDS + 64 * 80;
    private static final int BYTES = ARGUMENTS + 128;
    private static final int POLLS = 1_000_000;

    private final long memory;

    private Training(MemorySegment memory) {
        this.memory = memory.address();
    }

    static void main() throws ReflectiveOperationException {
        try (Arena arena = Arena.ofConfined()) {
            new Training(arena.allocate(BYTES, Long.BYTES)).run();
        }
    }

    private int call(VerbCommand command, long... numbers) {
        for (int i = 0; i < numbers.length; i++) {
            CMemory.putLong(memory + ARGUMENTS + (long) Long.BYTES * i, numbers[i]);
        }
        int result = DropIn.command(command.ordinal(), memory + ARGUMENTS, 0);
        if (result < 0) {
            throw new IllegalStateException(command + ": errno " + -result);
        }
        return result;
    }

    private void run() throws ReflectiveOperationException {
        DropIn.start(memory);
        call(VerbCommand.LIST_DEVICES, memory + RECORDS, memory + DATA, 1);
        int context = call(VerbCommand.OPEN_DEVICE, 0, 0, memory + DATA);
        call(VerbCommand.QUERY_DEVICE, context, memory + RECORDS, 400);
        call(VerbCommand.QUERY_PORT, context, 1, memory + RECORDS);
        call(VerbCommand.QUERY_GID, context, 1, 0, memory + RECORDS, 1);
        int pd = call(VerbCommand.ALLOC_PD, context);
        call(VerbCommand.REG_MR, pd, memory + DATA, 64, memory + DATA, 1, memory + MR);
        int cq = call(VerbCommand.CREATE_CQ, context, 16, 0, 0x7F, 0, 0, memory + CQ);
        CMemory.putInt(memory + CQ + 24, cq);
        createQp(context, pd);
        connect();
        exchange();
        listen();
        call(VerbCommand.EXIT);
    }

    private void createQp(int context, int pd) {
        long init = memory + ATTRIBUTES;
        CMemory.putLong(init + 8, memory + CQ);
        CMemory.putLong(init + 16, memory + CQ);
        for (int i = 0; i < 4; i++) {
            CMemory.putInt(init + 32 + 4L * i, 1);
        }
        CMemory.putInt(init + 52, 2);
        CMemory.putInt(init + 56, 1);
        CMemory.putInt(memory + QP + 48, call(VerbCommand.CREATE_QP, context, pd, -1, init, memory + QP));
    }

    /** Moves the queue pair to RTS; its peer is itself. */
    private void connect() {
        long attributes = memory + ATTRIBUTES;
        int qp = CMemory.getInt(memory + QP + 48);
        CMemory.clear(attributes, 144);
        CMemory.putInt(attributes, 1);
        CMemory.putByte(attributes + 129, 1);
        call(VerbCommand.MODIFY_QP, qp, attributes, 0x39);
        CMemory.putInt(attributes, 2);
        CMemory.putInt(attributes + 8, 3);
        CMemory.putInt(attributes + 28, CMemory.getInt(memory + QP + 52));
        CMemory.putGid(attributes + 56, CMemory.getGid(memory + RECORDS));
        CMemory.putByte(attributes + 56 + 21, 1);
        CMemory.putByte(attributes + 56 + 29, 1);
        CMemory.putByte(attributes + 56 + 30, 1);
        call(VerbCommand.MODIFY_QP, qp, attributes, 0x12_9181);
        CMemory.putInt(attributes, 3);
        call(VerbCommand.MODIFY_QP, qp, attributes, 0x1_2E01);
    }

    private void exchange() {
        CMemory.putLong(memory + SGE, memory + DATA);
        CMemory.putInt(memory + SGE + 8, 8);
        CMemory.putInt(memory + SGE + 12, CMemory.getInt(memory + MR + 36));
        CMemory.putLong(memory + WR + 16, memory + SGE);
        CMemory.putInt(memory + WR + 24, 1);
        DropIn.postReceive(memory + QP, memory + WR, memory + DATA);
        CMemory.putInt(memory + WR + 28, 2);
        DropIn.postSend(memory + QP, memory + WR, memory + DATA);
        int completions = 0;
        for (int i = 0; i < POLLS && completions < 2; i++) {
            completions += DropIn.pollCq(memory + CQ, 1 | 48L << Integer.SIZE, memory + WC);
        }
        DropIn.requestNotification(memory + CQ, 0, 0);
    }

    /** As a server of librdmacm begins. */
    private void listen() {
        long command = memory + ATTRIBUTES;
        int file = call(VerbCommand.CM_OPEN, 0);
        CMemory.clear(command, 64);
        CMemory.putLong(command + 8, 1);
        CMemory.putLong(command + 16, memory + DATA);
        CMemory.putShort(command + 24, PortSpace.TCP.value());
        CMemory.putInt(command, UcmaCommand.CREATE_ID.ordinal());
        call(VerbCommand.CM_COMMAND, file, command);
        int id = CMemory.getInt(memory + DATA);
        CMemory.clear(command, 64);
        UcmaFormat.putAddress(
                command + 16,
                new InetSocketAddress(CMemory.getGid(memory + RECORDS).toInetAddress(), 0));
        CMemory.putInt(command + 44, id);
        CMemory.putInt(command, UcmaCommand.BIND_IP.ordinal());
        call(VerbCommand.CM_COMMAND, file, command);
        CMemory.clear(command, 64);
        CMemory.putInt(command + 8, id);
        CMemory.putInt(command, UcmaCommand.LISTEN.ordinal());
        call(VerbCommand.CM_COMMAND, file, command);
        call(VerbCommand.CM_CLOSE, file);
    }
}
