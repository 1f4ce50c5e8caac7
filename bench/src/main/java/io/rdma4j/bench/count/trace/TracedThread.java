// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.count.trace;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * A stopped thread of a child process, which runs one instruction at each {@link #step}. All calls come from the thread
 * that stopped it, because Linux accepts them from no other. If the tracing process ends, Linux kills the child.
 *
 * <p>The first thread of a process cannot be traced: the JVM waits for its children, and would take a stop of that
 * thread for the end of the process.
 */
@SuppressWarnings("restricted") // native calls are what this class is for
public final class TracedThread implements AutoCloseable {
    private static final int PEEKUSER = 3;
    private static final int POKEUSER = 6;
    private static final int SINGLESTEP = 9;
    private static final int DETACH = 17;
    private static final int SEIZE = 0x4206;
    private static final int INTERRUPT = 0x4207;
    private static final long KILL_AT_EXIT = 0x10_0000;

    /** Option of {@code waitpid}: also waits for threads that are not the first of their process. */
    private static final int ALL_THREADS = 0x4000_0000;

    /** Place of the flags register, and its trap flag. */
    private static final long FLAGS = 144;

    /** Place of the instruction pointer. */
    private static final long INSTRUCTION_POINTER = 128;

    private static final long TRAP_FLAG = 0x100;

    private static final int STOPPED = 0x7F;
    private static final int SIGTRAP = 5;
    private static final int NO_SIGNAL = 0;
    private static final int EPERM = 1;
    private static final int ENOSYS = 38;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final long ERRNO = Linker.Option.captureStateLayout().byteOffset(PathElement.groupElement("errno"));
    private static final MethodHandle PTRACE = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("ptrace"),
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG),
            Linker.Option.firstVariadicArg(1),
            Linker.Option.captureCallState("errno"));
    private static final MethodHandle WAITPID = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("waitpid"),
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT),
            Linker.Option.captureCallState("errno"));

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment errno = arena.allocate(Linker.Option.captureStateLayout());
    private final MemorySegment status = arena.allocate(JAVA_INT);
    private final int tid;

    /** A signal that the thread has not received yet. */
    private int signal;

    /** True when this object knows of the end of the thread. */
    private boolean hasEnded;

    private TracedThread(int tid) {
        this.tid = tid;
    }

    /**
     * Stops a thread.
     *
     * @param tid thread number of the system
     * @throws TracingRefusedException if the system does not permit it
     * @throws IOException if the thread has ended
     */
    public static TracedThread stop(int tid) throws IOException {
        TracedThread thread = new TracedThread(tid);
        try {
            thread.call(SEIZE, 0, KILL_AT_EXIT);
            thread.call(INTERRUPT, 0, 0);
            thread.awaitStop();
            return thread;
        } catch (IOException e) {
            thread.arena.close();
            throw e;
        }
    }

    /**
     * Runs one instruction. A system call is one instruction.
     *
     * @throws IOException if the thread has ended
     */
    public void step() throws IOException {
        call(SINGLESTEP, 0, signal);
        awaitStop();
    }

    /**
     * Returns the address of the next instruction.
     *
     * @throws IOException if the thread has ended
     */
    public long address() throws IOException {
        return call(PEEKUSER, INSTRUCTION_POINTER, 0);
    }

    /**
     * Lets the thread run again, if it has not ended. A thread that has saved and restored its flags during the steps
     * has restored the trap flag, too, and Linux then takes the flag for the program's own. Without the tracing process
     * the next trap would end the program.
     */
    @Override
    public void close() {
        try (arena) {
            if (!hasEnded) {
                release();
            }
        }
    }

    private void release() {
        try {
            long flags = call(PEEKUSER, FLAGS, 0);
            call(POKEUSER, FLAGS, flags & ~TRAP_FLAG);
            call(DETACH, 0, signal);
        } catch (IOException killed) {
            // Linux keeps a traced thread, and with it the process, until its tracer has waited for it.
            waitForChange();
        }
    }

    private long call(int request, long address, long data) throws IOException {
        long result;
        try {
            result = (long) PTRACE.invokeExact(errno, request, tid, address, data);
        } catch (Throwable e) {
            throw new LinkageError("ptrace", e);
        }
        if (result < 0) {
            throw failure("ptrace");
        }
        return result;
    }

    /** A stop for another reason than a step is one before a signal, which the next step then delivers. */
    private void awaitStop() throws IOException {
        if (waitForChange() != tid) {
            throw failure("waitpid");
        }
        int state = status.get(JAVA_INT, 0);
        if ((state & 0xFF) != STOPPED) {
            hasEnded = true;
            throw new IOException("thread " + tid + " has ended");
        }
        int stoppedBy = state >>> 8;
        signal = stoppedBy == SIGTRAP || stoppedBy > 0xFF ? NO_SIGNAL : stoppedBy;
    }

    private int waitForChange() {
        try {
            return (int) WAITPID.invokeExact(errno, tid, status, ALL_THREADS);
        } catch (Throwable e) {
            throw new LinkageError("waitpid", e);
        }
    }

    private IOException failure(String function) {
        int error = errno.get(JAVA_INT, ERRNO);
        String message = function + " of thread " + tid + " failed with errno " + error;
        return error == EPERM || error == ENOSYS ? new TracingRefusedException(message) : new IOException(message);
    }
}
