package io.rdma4j.net.linux;

/** Numbers of Linux that more than one class needs, the same on all machines that {@link NativeAccess} lets in. */
final class Kernel {
    static final int O_RDWR = 2;
    /** Of open, socket and eventfd alike: O_NONBLOCK, SOCK_NONBLOCK, EFD_NONBLOCK. */
    static final int NONBLOCK = 0x800;
    /** Likewise. */
    static final int CLOEXEC = 0x80000;

    static final int AF_INET = 2;
    static final int SOCK_DGRAM = 2;
    static final int SOCK_RAW = 3;

    private Kernel() {}
}
