package io.rdma4j.net.linux;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/** Converts error numbers of system calls to exceptions. */
final class LinuxError {
    // Error numbers that drivers distinguish.
    static final int EPERM = -1;
    static final int EIO = -5;
    static final int EAGAIN = -11;
    static final int EACCES = -13;
    static final int EFAULT = -14;
    static final int EBUSY = -16;
    static final int EINVAL = -22;
    static final int EBADFD = -77;
    static final int EMSGSIZE = -90;
    static final int EADDRINUSE = -98;
    static final int EADDRNOTAVAIL = -99;
    static final int ENOBUFS = -105;

    private LinuxError() {}

    /**
     * Returns the exception for a failed call.
     *
     * @param result negative error number
     * @param device name for the message
     * @param call as its manual page names it
     * @param advice appended to the message: the remedy
     */
    static RdmaException of(long result, String device, String call, String advice) {
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
    static int check(int result, String device, String call, String advice) {
        if (result < 0) {
            throw of(result, device, call, advice);
        }
        return result;
    }
}
