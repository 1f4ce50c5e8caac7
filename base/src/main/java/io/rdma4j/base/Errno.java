package io.rdma4j.base;

/** The error numbers that verbs return, with Linux's values and texts. */
public enum Errno {
    /**
     * 1: the caller lacks a privilege that Linux would ask for too, such as {@code CAP_NET_RAW} for raw queue pairs; or
     * the object is of a kind that the operation is not for.
     */
    EPERM(1, "Operation not permitted"),
    /** 2: nothing has that number or name, where it was looked for by content: a P_Key, a GID, an XRC target's QPN. */
    ENOENT(2, "No such file or directory"),
    /**
     * 5: the device was removed or broke down while in use, or the operating system failed to read or write a file or
     * socket.
     */
    EIO(5, "Input/output error"),
    /** 11: nothing is free at the moment; the same call may succeed when others have given something back. */
    EAGAIN(11, "Resource temporarily unavailable"),
    /**
     * 12: a limit of the device is reached ({@code max_qp}, {@code max_mr} …), or a work queue is full. The message
     * tells which.
     */
    ENOMEM(12, "Cannot allocate memory"),
    /**
     * 13: a policy forbids it: a partition that is denied, a prohibiting route, a privileged port of the operating
     * system.
     */
    EACCES(13, "Permission denied"),
    /** 14: memory that was handed over cannot be reached, as it was closed or is not as long as told. */
    EFAULT(14, "Bad address"),
    /** 16: others still use the object: what was made from it is open, or events of it are not acknowledged. */
    EBUSY(16, "Device or resource busy"),
    /** 17: the name or the number is taken already. */
    EEXIST(17, "File exists"),
    /** 19: there is no device or network interface of that name, or it is gone. */
    ENODEV(19, "No such device"),
    /**
     * 22: an argument that cannot be, or not in this state: a value out of range, an object that is closed or of
     * another context, a transition that is not in the table. What most refusals of a verb are.
     */
    EINVAL(22, "Invalid argument"),
    /** 23: all names that a pattern of names can have are taken. */
    ENFILE(23, "Too many open files in system"),
    /** 28: a table of fixed size is full. */
    ENOSPC(28, "No space left on device"),
    /** 31: network devices stand on top of each other deeper than is allowed. */
    EMLINK(31, "Too many links"),
    /**
     * 34: a number that is right in itself does not go with another one, such as an MTU above that of the device below.
     */
    ERANGE(34, "Numerical result out of range"),
    /** 35: the caller would wait for itself. */
    EDEADLK(35, "Resource deadlock avoided"),
    /** 38: the part of the system that would do it is not there: no process serves devices to this one. */
    ENOSYS(38, "Function not implemented"),
    /** 40: the connection would be a loop. */
    ELOOP(40, "Too many levels of symbolic links"),
    /** 61: the slot of a table is empty. What {@code ibv_query_gid_ex} says of it. */
    ENODATA(61, "No data available"),
    /** 75: a count would leave its range. */
    EOVERFLOW(75, "Value too large for defined data type"),
    /** 90: the packet is longer than the path carries, and must not be cut. */
    EMSGSIZE(90, "Message too long"),
    /** 95: the device or provider does not have this operation, flag or capability, whatever the arguments. */
    EOPNOTSUPP(95, "Operation not supported"),
    /** 97: the machine speaks IPv4 or IPv6 only, and the address is of the other family. */
    EAFNOSUPPORT(97, "Address family not supported by protocol"),
    /** 98: the UDP or TCP port, or the address, belongs to another socket or device. */
    EADDRINUSE(98, "Address already in use"),
    /** 99: the address is not one of this host. */
    EADDRNOTAVAIL(99, "Cannot assign requested address"),
    /** 100: the network device below is down. */
    ENETDOWN(100, "Network is down"),
    /** 101: no route leads to that network. */
    ENETUNREACH(101, "Network is unreachable"),
    /** 110: no answer within the time that the caller gave. */
    ETIMEDOUT(110, "Connection timed out"),
    /** 111: nobody listens there: no socket at the UDP port, no process behind the entry of a device. */
    ECONNREFUSED(111, "Connection refused"),
    /** 113: a route leads to the network, but the host does not answer to address resolution, or a router says so. */
    EHOSTUNREACH(113, "No route to host");

    private final int code;
    private final String text;

    Errno(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** {@return Linux's number, positive} */
    public int code() {
        return code;
    }

    /** {@return what {@code strerror} says} */
    public String text() {
        return text;
    }
}
