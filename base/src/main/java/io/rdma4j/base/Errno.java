// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base;

/** The error numbers that verbs return, with the values and texts of Linux. */
public enum Errno {
    /**
     * 1: the caller lacks a privilege that Linux also requires, such as {@code CAP_NET_RAW} for raw queue pairs; or the
     * operation does not apply to this kind of object.
     */
    EPERM(1, "Operation not permitted"),
    /** 2: no entry has the number, name or content of the lookup, such as a P_Key, a GID, or an XRC target's QPN. */
    ENOENT(2, "No such file or directory"),
    /** 4: the operation was cancelled. */
    EINTR(4, "Interrupted system call"),
    /**
     * 5: the device was removed or failed while in use, or the operating system could not read or write a file or
     * socket.
     */
    EIO(5, "Input/output error"),
    /** 11: nothing is free now; the same call may succeed after other users have freed resources. */
    EAGAIN(11, "Resource temporarily unavailable"),
    /**
     * 12: a limit of the device is reached ({@code max_qp}, {@code max_mr} …), or a work queue is full. The message
     * contains the limit.
     */
    ENOMEM(12, "Cannot allocate memory"),
    /**
     * 13: a policy forbids the operation: a denied partition, a prohibiting route, a privileged port of the operating
     * system.
     */
    EACCES(13, "Permission denied"),
    /** 14: memory of an argument is not accessible, because it was closed or is shorter than stated. */
    EFAULT(14, "Bad address"),
    /** 16: the object is still in use: objects made from it are open, or its events are not acknowledged. */
    EBUSY(16, "Device or resource busy"),
    /** 17: the name or the number is in use. */
    EEXIST(17, "File exists"),
    /** 19: there is no device or network interface with that name, or it was removed. */
    ENODEV(19, "No such device"),
    /**
     * 22: an argument is invalid, or invalid in this state: a value out of range, an object that is closed or belongs
     * to another context, a state transition that is not permitted. Most errors of verbs have this number.
     */
    EINVAL(22, "Invalid argument"),
    /** 23: all names of a name pattern are in use. */
    ENFILE(23, "Too many open files in system"),
    /** 28: a table of fixed size is full. */
    ENOSPC(28, "No space left on device"),
    /** 31: network devices are stacked deeper than the limit. */
    EMLINK(31, "Too many links"),
    /** 32: the device behind an open file was removed. */
    EPIPE(32, "Broken pipe"),
    /**
     * 34: a value is valid by itself but not together with another one, such as an MTU above that of the device below.
     */
    ERANGE(34, "Numerical result out of range"),
    /** 35: the caller would wait for itself. */
    EDEADLK(35, "Resource deadlock avoided"),
    /** 38: the required service is not running: no process serves devices to this one. */
    ENOSYS(38, "Function not implemented"),
    /** 40: the connection would be a loop. */
    ELOOP(40, "Too many levels of symbolic links"),
    /** 61: the entry of a table is empty; the error of {@code ibv_query_gid_ex} for it. */
    ENODATA(61, "No data available"),
    /** 75: a counter would overflow. */
    EOVERFLOW(75, "Value too large for defined data type"),
    /** 90: the packet exceeds the path MTU and must not be fragmented. */
    EMSGSIZE(90, "Message too long"),
    /** 93: the port has no such management interface. */
    EPROTONOSUPPORT(93, "Protocol not supported"),
    /** 95: the device or provider does not have this operation, flag or capability, whatever the arguments. */
    EOPNOTSUPP(95, "Operation not supported"),
    /** 97: the machine supports only IPv4 or only IPv6, and the address is of the other family. */
    EAFNOSUPPORT(97, "Address family not supported by protocol"),
    /** 98: another socket or device uses the UDP or TCP port, or the address. */
    EADDRINUSE(98, "Address already in use"),
    /** 99: the address does not belong to this host. */
    EADDRNOTAVAIL(99, "Cannot assign requested address"),
    /** 100: the network device below is down. */
    ENETDOWN(100, "Network is down"),
    /** 101: there is no route to that network. */
    ENETUNREACH(101, "Network is unreachable"),
    /** 102: a multicast group was lost because the subnet changed; it is joined again. */
    ENETRESET(102, "Network dropped connection on reset"),
    /** 106: the connection is established already. */
    EISCONN(106, "Transport endpoint is already connected"),
    /** 110: no response within the caller's timeout. */
    ETIMEDOUT(110, "Connection timed out"),
    /** 111: there is no socket at the UDP port, or no process behind the entry of a device. */
    ECONNREFUSED(111, "Connection refused"),
    /** 113: there is a route, but the host does not answer address resolution, or a router reports it unreachable. */
    EHOSTUNREACH(113, "No route to host");

    private final int code;
    private final String text;

    Errno(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** {@return the number in Linux, positive} */
    public int code() {
        return code;
    }

    /** {@return the text of {@code strerror}} */
    public String text() {
        return text;
    }
}
