package io.rdma4j.net.linux;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/** Makes exceptions of the error numbers that calls give. */
final class LinuxError {
    // Those that drivers tell apart.
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
     * The exception for a call that failed.
     *
     * @param result negative error number
     * @param device whom it was made for
     * @param call as its manual page calls it
     * @param advice what to do, as far as the number tells nothing better
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
     * The result of a call that should not fail.
     *
     * @throws RdmaException as {@link #of} makes it, if it is negative
     */
    static int check(int result, String device, String call, String advice) {
        if (result < 0) {
            throw of(result, device, call, advice);
        }
        return result;
    }
}
