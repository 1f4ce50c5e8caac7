// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux.call;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.util.Set;

/**
 * Functions of the C library that drivers call; each has a manual page. They return the function's result, or the
 * negative error number ({@code -EAGAIN}) as inside the kernel. They allocate nothing.
 *
 * <p>An instance stores the error number of its last call, so it is for one thread at a time. The caller calls {@link
 * NativeAccess#require} first.
 *
 * <p>Reading the error number allocates an object. The compiler removes the allocation only if it can inline the whole
 * call, which happens only for frequent calls. So calls of the data path, and those in which threads sleep, do not read
 * it. A receive call returns only -1 on failure. A send call that fails is repeated to obtain the error number.
 *
 * <p>For each shape of a function the JVM makes some ten classes, which takes milliseconds at the start of a program.
 * So functions share a few shapes, and get arguments after their own that they do not read. A number of 64 bits, an
 * address, and a number of 32 bits are passed in the same register on all architectures of {@link NativeAccess}.
 *
 * <p>No call uses {@link Linker.Option#critical}. It would save 3 ns of at least 175 ns per call. But the garbage
 * collector would then wait for whatever the kernel does meanwhile: a send may deliver the packet to its receiver
 * before it returns.
 */
public final class Libc {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final MemorySegment NULL = MemorySegment.NULL;
    private static final long ERRNO = STATE.byteOffset(PathElement.groupElement("errno"));

    /** {@code (fd, …, pointer, length or address)}. */
    private static final FunctionDescriptor OPTION =
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_LONG);

    /** {@code (fd, pointer, length or address, flags)}. */
    private static final FunctionDescriptor TRANSFER =
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);

    /** {@code (fd, pointer, count, flags, pointer)}; the error number is not read. */
    private static final FunctionDescriptor BATCH =
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS);

    private static final MethodHandle CLOSE = function("close", OPTION);
    private static final MethodHandle EVENTFD = function("eventfd", OPTION);
    private static final MethodHandle SOCKET = function("socket", OPTION);
    private static final MethodHandle SETSOCKOPT = function("setsockopt", OPTION);
    private static final MethodHandle EPOLL_CREATE1 = function("epoll_create1", OPTION);
    private static final MethodHandle EPOLL_CTL = function("epoll_ctl", OPTION);
    private static final MethodHandle BIND = function("bind", TRANSFER);
    private static final MethodHandle RECV = function("recv", TRANSFER);
    private static final MethodHandle WRITEV_AGAIN = function("writev", TRANSFER);
    private static final MethodHandle SENDMSG_AGAIN = function("sendmsg", TRANSFER);
    private static final MethodHandle READV = silent("readv", BATCH);
    private static final MethodHandle WRITEV = silent("writev", BATCH);
    private static final MethodHandle EVENTFD_READ = silent("eventfd_read", BATCH);
    private static final MethodHandle RECVMMSG = silent("recvmmsg", BATCH);
    private static final MethodHandle SENDMSG = silent("sendmsg", BATCH);
    private static final MethodHandle EVENTFD_WRITE = silent("eventfd_write", BATCH);
    private static final MethodHandle PPOLL =
            silent("ppoll", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS));
    private static final MethodHandle GETSOCKNAME = function("getsockname", TRANSFER);
    private static final MethodHandle GETSOCKOPT = function("getsockopt", OPTION);

    /** The number 1 in the place of an address. */
    private static final MemorySegment ONE = MemorySegment.ofAddress(1);

    /** Functions of files, which few programs call. */
    private static final class Files {
        static final MethodHandle OPEN = variadic("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
        static final MethodHandle IOCTL =
                variadic("ioctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS));
    }

    /** Memory of other processes, which few programs read. */
    private static final class Processes {
        /**
         * {@code process_vm_readv} by its number. The last argument is one that the kernel ignores: the memory segment
         * that is written to. The vector contains only its plain address; the argument keeps the segment open during
         * the call.
         */
        static final MethodHandle PROCESS_VM_READV = link(
                "syscall",
                FunctionDescriptor.of(
                        JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS),
                Linker.Option.firstVariadicArg(1));

        /** 310 on x86-64; 270 in the generic table of newer architectures. */
        static final long PROCESS_VM_READV_NUMBER =
                Set.of("amd64", "x86_64").contains(System.getProperty("os.arch", "")) ? 310 : 270;
    }

    private final MemorySegment state = Arena.ofAuto().allocate(STATE);

    private static MethodHandle function(String name, FunctionDescriptor shape) {
        return link(name, shape, Linker.Option.captureCallState("errno"));
    }

    /** A function whose error number is not read. */
    private static MethodHandle silent(String name, FunctionDescriptor shape) {
        return link(name, shape);
    }

    /** A function with two fixed arguments and variadic ones after them. */
    private static MethodHandle variadic(String name, FunctionDescriptor shape) {
        return link(name, shape, Linker.Option.captureCallState("errno"), Linker.Option.firstVariadicArg(2));
    }

    @SuppressWarnings("restricted") // the only restricted call of this package; callers check the arguments
    private static MethodHandle link(String name, FunctionDescriptor shape, Linker.Option... options) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), shape, options);
    }

    private int result(int value) {
        return value >= 0 ? value : -state.get(JAVA_INT, ERRNO);
    }

    private long result(long value) {
        return value >= 0 ? value : -state.get(JAVA_INT, ERRNO);
    }

    private static AssertionError unexpected(Throwable e) {
        return new AssertionError("a call of the C library throws nothing", e);
    }

    /** @param path ends with a zero byte */
    public int open(MemorySegment path, int flags) {
        try {
            return result((int) Files.OPEN.invokeExact(state, path, flags, 0));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    public int close(int fd) {
        try {
            return result((int) CLOSE.invokeExact(state, fd, 0, 0, NULL, 0L));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    public int ioctl(int fd, long request, MemorySegment argument) {
        try {
            return result((int) Files.IOCTL.invokeExact(state, fd, request, argument));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Returns -1 for any failure. */
    public static long readv(int fd, MemorySegment vector, int count) {
        try {
            return (int) READV.invokeExact(fd, vector, count, 0, NULL);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    public long writev(int fd, MemorySegment vector, int count) {
        try {
            long written = (int) WRITEV.invokeExact(fd, vector, count, 0, NULL);
            return written >= 0 ? written : result((long) WRITEV_AGAIN.invokeExact(state, fd, vector, (long) count, 0));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    int eventfd(int initial, int flags) {
        try {
            return result((int) EVENTFD.invokeExact(state, initial, flags, 0, NULL, 0L));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Returns -1 for any failure. */
    static int eventfdRead(int fd, MemorySegment value) {
        try {
            return (int) EVENTFD_READ.invokeExact(fd, value, 0, 0, NULL);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Adds 1 to the counter. Returns -1 for any failure. */
    static int eventfdWrite(int fd) {
        try {
            return (int) EVENTFD_WRITE.invokeExact(fd, ONE, 0, 0, NULL);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Keeps the signal mask. Returns -1 for any failure. */
    static int ppoll(MemorySegment fds, long count, MemorySegment timeout) {
        try {
            return (int) PPOLL.invokeExact(fds, count, timeout, NULL);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    public int socket(int domain, int type, int protocol) {
        try {
            return result((int) SOCKET.invokeExact(state, domain, type, protocol, NULL, 0L));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    public int bind(int fd, MemorySegment address) {
        try {
            return result((int) (long) BIND.invokeExact(state, fd, address, address.byteSize(), 0));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    public int setsockopt(int fd, int level, int option, MemorySegment value) {
        try {
            return result((int) SETSOCKOPT.invokeExact(state, fd, level, option, value, value.byteSize()));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    public long recv(int fd, MemorySegment buffer, int flags) {
        try {
            return result((long) RECV.invokeExact(state, fd, buffer, buffer.byteSize(), flags));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Has no timeout. Returns -1 for any failure. */
    public static int recvmmsg(int fd, MemorySegment messages, int count, int flags) {
        try {
            return (int) RECVMMSG.invokeExact(fd, messages, count, flags, NULL);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    public long sendmsg(int fd, MemorySegment message, int flags) {
        try {
            long sent = (int) SENDMSG.invokeExact(fd, message, flags, 0, NULL);
            return sent >= 0 ? sent : result((long) SENDMSG_AGAIN.invokeExact(state, fd, message, (long) flags, 0));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * Reads into {@code here}. One of its segments, {@code target}, may be closed by another thread. Returns the number
     * of bytes, or -1 for any failure.
     *
     * @throws IllegalStateException if {@code target} was closed before the call
     */
    public static long processVmReadv(
            int process,
            MemorySegment here,
            long hereCount,
            MemorySegment there,
            long thereCount,
            MemorySegment target) {
        try {
            return (long) Processes.PROCESS_VM_READV.invokeExact(
                    Processes.PROCESS_VM_READV_NUMBER, (long) process, here, hereCount, there, thereCount, 0L, target);
        } catch (IllegalStateException closed) {
            throw closed;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    public int getsockname(int fd, MemorySegment address, MemorySegment length) {
        try {
            return result((int) (long) GETSOCKNAME.invokeExact(state, fd, address, length.address(), 0));
        } catch (Throwable e) {
            throw unexpected(e);
        } finally {
            Reference.reachabilityFence(length);
        }
    }

    public int getsockopt(int fd, int level, int option, MemorySegment value, MemorySegment length) {
        try {
            return result((int) GETSOCKOPT.invokeExact(state, fd, level, option, value, length.address()));
        } catch (Throwable e) {
            throw unexpected(e);
        } finally {
            Reference.reachabilityFence(length);
        }
    }

    int epollCreate(int flags) {
        try {
            return result((int) EPOLL_CREATE1.invokeExact(state, flags, 0, 0, NULL, 0L));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    int epollCtl(int fd, int operation, int watched, MemorySegment event) {
        try {
            return result((int) EPOLL_CTL.invokeExact(state, fd, operation, watched, event, 0L));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }
}
