// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

/** Status codes of RMPP segments (IBA 13.6.2.1). */
public final class RmppStatus {
    /** No error. */
    public static final int NORMAL = 0;
    /** STOP: resources are exhausted. */
    public static final int RESOURCES_EXHAUSTED = 1;
    /** ABORT: the transfer takes too long. */
    public static final int TOTAL_TIME_TOO_LONG = 118;
    /** ABORT: the flag Last and the payload length contradict each other. */
    public static final int INCONSISTENT_LAST = 119;
    /** ABORT: the flag First and the segment number contradict each other. */
    public static final int INCONSISTENT_FIRST = 120;
    /** ABORT: unknown type. */
    public static final int BAD_TYPE = 121;
    /** ABORT: the new window ends before the acknowledged segment. */
    public static final int WINDOW_TOO_SMALL = 122;
    /** ABORT: the acknowledged segment was not sent. */
    public static final int SEGMENT_TOO_BIG = 123;
    /** ABORT: an illegal status. */
    public static final int ILLEGAL_STATUS = 124;
    /** ABORT: unsupported version. */
    public static final int UNSUPPORTED_VERSION = 125;
    /** ABORT: too many retries. */
    public static final int TOO_MANY_RETRIES = 126;
    /** ABORT: no other code fits. */
    public static final int UNSPECIFIED = 127;

    private RmppStatus() {}

    /**
     * {@return true if the status may be in an ABORT}
     *
     * @param status 8 bits
     */
    public static boolean isAbort(int status) {
        return status >= TOTAL_TIME_TOO_LONG && status <= UNSPECIFIED;
    }
}
