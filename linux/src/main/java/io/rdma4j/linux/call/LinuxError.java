// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux.call;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/** Converts error numbers of system calls to exceptions. */
public final class LinuxError {
    // Error numbers that drivers distinguish.
    public static final int EPERM = -1;
    public static final int EIO = -5;
    public static final int EAGAIN = -11;
    public static final int EACCES = -13;
    static final int EFAULT = -14;
    public static final int EBUSY = -16;
    public static final int EINVAL = -22;
    static final int EBADFD = -77;
    public static final int EMSGSIZE = -90;
    public static final int EADDRINUSE = -98;
    public static final int EADDRNOTAVAIL = -99;
    public static final int ENOBUFS = -105;

    private LinuxError() {}

    /**
     * Returns the exception for a failed call.
     *
     * @param result negative error number
     * @param device name for the message
     * @param call as its manual page names it
     * @param advice appended to the message: the remedy
     */
    public static RdmaException of(long result, String device, String call, String advice) {
        int code = (int) -result;
        for (Errno errno : Errno.values()) {
            if (errno.code() == code) {
                return new RdmaException(errno, device + ": " + call + ": " + errno.text() + "; " + advice);
            }
        }
        return new RdmaException(Errno.EIO, device + ": " + call + ": error number " + code + "; " + advice);
    }

    /**
     * Returns the result of a call, and throws if it is negative.
     *
     * @throws RdmaException from {@link #of}
     */
    public static int check(int result, String device, String call, String advice) {
        if (result < 0) {
            throw of(result, device, call, advice);
        }
        return result;
    }
}
