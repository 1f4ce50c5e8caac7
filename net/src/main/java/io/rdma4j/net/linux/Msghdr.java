package io.rdma4j.net.linux;

/** Where the fields of {@code struct msghdr} and of {@code struct cmsghdr} are on 64-bit Linux: offsets, bytes. */
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

    /** What {@code struct cmsghdr} takes: behind it are the data. */
    static final int CMSG_BYTES = 16;

    private Msghdr() {}
}
