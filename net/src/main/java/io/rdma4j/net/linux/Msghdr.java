package io.rdma4j.net.linux;

/** Field offsets of {@code struct msghdr} and {@code struct cmsghdr} on 64-bit Linux, bytes. */
final class Msghdr {
    static final int BYTES = 56;
    static final int NAME = 0;
    static final int NAME_BYTES = 8;
    static final int VECTOR = 16;
    static final int VECTOR_LENGTH = 24;
    static final int CONTROL = 32;
    static final int CONTROL_BYTES = 40;
    static final int FLAGS = 48;

    static final int CMSG_LENGTH = 0;
    static final int CMSG_LEVEL = 8;
    static final int CMSG_TYPE = 12;

    /** Size of {@code struct cmsghdr}: the data follow it. */
    static final int CMSG_BYTES = 16;

    private Msghdr() {}
}
