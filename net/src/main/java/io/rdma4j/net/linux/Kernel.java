package io.rdma4j.net.linux;

/** Constants of Linux that several classes use, equal on all machines that {@link NativeAccess} permits. */
final class Kernel {
    static final int O_RDWR = 2;
    /** O_NONBLOCK, SOCK_NONBLOCK and EFD_NONBLOCK. */
    static final int NONBLOCK = 0x800;
    /** O_CLOEXEC, SOCK_CLOEXEC, EFD_CLOEXEC and EPOLL_CLOEXEC. */
    static final int CLOEXEC = 0x80000;

    static final int AF_INET = 2;
    static final int SOCK_DGRAM = 2;
    static final int SOCK_RAW = 3;

    private Kernel() {}
}
