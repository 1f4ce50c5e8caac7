// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux.call;

/** Field offsets of {@code struct msghdr} and {@code struct cmsghdr} on 64-bit Linux, bytes. */
public final class Msghdr {
    public static final int BYTES = 56;
    public static final int NAME = 0;
    public static final int NAME_BYTES = 8;
    public static final int VECTOR = 16;
    public static final int VECTOR_LENGTH = 24;
    public static final int CONTROL = 32;
    public static final int CONTROL_BYTES = 40;
    static final int FLAGS = 48;

    public static final int CMSG_LENGTH = 0;
    public static final int CMSG_LEVEL = 8;
    public static final int CMSG_TYPE = 12;

    /** Size of {@code struct cmsghdr}: the data follow it. */
    public static final int CMSG_BYTES = 16;

    private Msghdr() {}
}
