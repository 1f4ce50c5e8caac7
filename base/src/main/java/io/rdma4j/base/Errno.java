package io.rdma4j.base;

/** The error numbers that verbs return, with Linux's values and texts. */
public enum Errno {
    EPERM(1, "Operation not permitted"),
    ENOENT(2, "No such file or directory"),
    EIO(5, "Input/output error"),
    EAGAIN(11, "Resource temporarily unavailable"),
    ENOMEM(12, "Cannot allocate memory"),
    EACCES(13, "Permission denied"),
    EFAULT(14, "Bad address"),
    EBUSY(16, "Device or resource busy"),
    EEXIST(17, "File exists"),
    ENODEV(19, "No such device"),
    EINVAL(22, "Invalid argument"),
    ENFILE(23, "Too many open files in system"),
    ENOSPC(28, "No space left on device"),
    EMLINK(31, "Too many links"),
    ERANGE(34, "Numerical result out of range"),
    ENOSYS(38, "Function not implemented"),
    ELOOP(40, "Too many levels of symbolic links"),
    ENODATA(61, "No data available"),
    EOVERFLOW(75, "Value too large for defined data type"),
    EMSGSIZE(90, "Message too long"),
    EOPNOTSUPP(95, "Operation not supported"),
    EAFNOSUPPORT(97, "Address family not supported by protocol"),
    EADDRINUSE(98, "Address already in use"),
    EADDRNOTAVAIL(99, "Cannot assign requested address"),
    ENETDOWN(100, "Network is down"),
    ENETUNREACH(101, "Network is unreachable"),
    ETIMEDOUT(110, "Connection timed out"),
    ECONNREFUSED(111, "Connection refused"),
    EHOSTUNREACH(113, "No route to host");

    private final int code;
    private final String text;

    Errno(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** Linux's number, positive. */
    public int code() {
        return code;
    }

    /** What {@code strerror} says. */
    public String text() {
        return text;
    }
}
