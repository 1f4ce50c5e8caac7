// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * The functions that C calls.
 *
 * <p>C starts the JVM, registers the methods of {@link CEvents} and calls {@link #start}. All functions have one shape,
 * so that the JVM generates one kind of stub: each kind costs some ten milliseconds at the start. An exception that
 * left a function would end the process, so each function turns exceptions into an errno.
 */
final class DropIn {
    private static final boolean TRACE = "on".equals(System.getenv("RDMA4J_DROPIN_TRACE"));

    private DropIn() {}

    /**
     * Writes the addresses of the functions into {@code struct java}. Called once, by C.
     *
     * @param table address of the structure
     */
    @SuppressWarnings("restricted") // the stubs are called with the types of their shape
    static void start(long table) throws ReflectiveOperationException {
        String[] names = {"command", "postSend", "postReceive", "postSrqReceive", "pollCq", "requestNotification"};
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodType type = MethodType.methodType(int.class, long.class, long.class, long.class);
        FunctionDescriptor shape = FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
        for (int i = 0; i < names.length; i++) {
            MethodHandle function = lookup.findStatic(DropIn.class, names[i], type);
            long stub = Linker.nativeLinker()
                    .upcallStub(function, shape, Arena.global())
                    .address();
            CMemory.putLong(table + (long) Long.BYTES * i, stub);
        }
    }

    /** Returns a number that is not negative, or a negative errno. */
    static int command(long number, long arguments, @SuppressWarnings("unused") long ignored) {
        try {
            return Verbs.execute(VerbCommand.of((int) number), new CallArguments(arguments));
        } catch (Throwable e) {
            return -errno(e);
        }
    }

    /** {@code post_send}: returns 0 or an errno, and the address of the request that was not posted. */
    static int postSend(long qp, long first, long bad) {
        try {
            PostedSends.post(qp, first, bad);
            return 0;
        } catch (Throwable e) {
            return errno(e);
        }
    }

    /** {@code post_recv}, as {@link #postSend}. */
    static int postReceive(long qp, long first, long bad) {
        try {
            PostedReceives.postToQp(qp, first, bad);
            return 0;
        } catch (Throwable e) {
            return errno(e);
        }
    }

    /** {@code post_srq_recv}, as {@link #postSend}. */
    static int postSrqReceive(long srq, long first, long bad) {
        try {
            PostedReceives.postToSrq(srq, first, bad);
            return 0;
        } catch (Throwable e) {
            return errno(e);
        }
    }

    /**
     * {@code poll_cq}: returns the number of completions, or a negative errno. The upper half of {@code entries} is the
     * size of an element of the array in bytes.
     */
    static int pollCq(long cq, long entries, long array) {
        try {
            return PolledCompletions.poll(cq, (int) entries, (int) (entries >>> Integer.SIZE), array);
        } catch (Throwable e) {
            return -errno(e);
        }
    }

    /** {@code req_notify_cq}: returns 0 or an errno. */
    static int requestNotification(long cq, long solicitedOnly, @SuppressWarnings("unused") long ignored) {
        try {
            PolledCompletions.queue(cq).requestNotification(solicitedOnly != 0);
            return 0;
        } catch (Throwable e) {
            return errno(e);
        }
    }

    /** Programs see only the number. {@code RDMA4J_DROPIN_TRACE=on} prints the reason, too. */
    private static int errno(Throwable e) {
        if (e instanceof RdmaException refused) {
            if (TRACE) {
                System.err.println("rdma4j: " + refused.getMessage());
            }
            return refused.errno().code();
        }
        e.printStackTrace();
        return e instanceof OutOfMemoryError ? Errno.ENOMEM.code() : Errno.EIO.code();
    }
}
