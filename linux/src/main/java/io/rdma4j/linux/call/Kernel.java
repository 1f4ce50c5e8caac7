// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux.call;

/** Constants of Linux that several classes use, equal on all machines that {@link NativeAccess} permits. */
public final class Kernel {
    public static final int O_RDWR = 2;
    /** O_NONBLOCK, SOCK_NONBLOCK and EFD_NONBLOCK. */
    public static final int NONBLOCK = 0x800;
    /** O_CLOEXEC, SOCK_CLOEXEC, EFD_CLOEXEC and EPOLL_CLOEXEC. */
    public static final int CLOEXEC = 0x80000;

    public static final int AF_INET = 2;
    public static final int SOCK_DGRAM = 2;
    public static final int SOCK_RAW = 3;

    private Kernel() {}
}
