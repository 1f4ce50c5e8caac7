// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux;

import io.rdma4j.base.RdmaException;
import io.rdma4j.linux.call.IoVector;
import io.rdma4j.linux.call.Kernel;
import io.rdma4j.linux.call.Libc;
import io.rdma4j.linux.call.LinuxError;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The file descriptor of a TAP interface ({@code Documentation/networking/tuntap.rst}). A read returns a frame that the
 * kernel sends; a write delivers a frame to the kernel. Non-blocking. For one thread at a time.
 */
final class TapFile implements AutoCloseable {
    private static final String PATH = "/dev/net/tun";

    private static final long TUNSETIFF = 0x4004_54CAL;
    private static final long TUNSETOFFLOAD = 0x4004_54D0L;
    private static final long TUNSETCARRIER = 0x4004_54E2L;
    private static final short IFF_TAP = 2;
    private static final short IFF_NO_PI = 0x1000;

    private final Libc libc = new Libc();
    private final MemorySegment flag = Arena.ofAuto().allocate(ValueLayout.JAVA_INT);
    private final int fd;

    /**
     * Attaches to an interface, and creates it if it does not exist. A created interface is deleted when this file is
     * closed, unless it is persistent ({@code ip tuntap add}).
     *
     * @throws RdmaException EPERM, EACCES without permission, EBUSY if another program is attached, EINVAL if it is not
     *     a TAP interface, ENOENT, ENODEV if this kernel has no TAP driver
     */
    TapFile(String name) {
        MemorySegment path = Arena.ofAuto().allocateFrom(PATH);
        fd = LinuxError.check(
                libc.open(path, Kernel.O_RDWR | Kernel.NONBLOCK | Kernel.CLOEXEC),
                name,
                "open of " + PATH,
                "TAP interfaces need this file (modprobe tun) and the right to read and write it");
        MemorySegment request = KernelInterface.request(name);
        request.set(ValueLayout.JAVA_SHORT, KernelInterface.IFREQ_VALUE, (short) (IFF_TAP | IFF_NO_PI));
        int result = libc.ioctl(fd, TUNSETIFF, request);
        if (result < 0) {
            libc.close(fd);
            throw LinuxError.of(result, name, "TUNSETIFF", advice(result, name));
        }
        // The program attached before may have enabled checksum and segmentation offload; this disables them.
        libc.ioctl(fd, TUNSETOFFLOAD, MemorySegment.NULL);
    }

    private static String advice(int result, String name) {
        return switch (result) {
            case LinuxError.EPERM ->
                "to attach to a TAP interface needs CAP_NET_ADMIN, or that it is yours: ip tuntap add " + name
                        + " mode tap user $USER, once, as root";
            case LinuxError.EBUSY -> "another program is attached to it: choose another name";
            case LinuxError.EINVAL ->
                "there is an interface of this name that is no TAP interface: choose another name";
            default -> "ip tuntap shows the TAP interfaces there are";
        };
    }

    int descriptor() {
        return fd;
    }

    /** Sets the carrier of the kernel's end. Linux before 5.0 does not support it: the carrier is then always on. */
    void setCarrier(boolean present) {
        flag.set(ValueLayout.JAVA_INT, 0, present ? 1 : 0);
        libc.ioctl(fd, TUNSETCARRIER, flag);
    }

    /** Reads a frame; returns its length, truncated to the buffer, or -1. */
    long read(IoVector vector) {
        return Libc.readv(fd, vector.memory(), 1);
    }

    /** Writes a frame; returns a negative error number on failure. */
    long write(IoVector vector) {
        return libc.writev(fd, vector.memory(), 1);
    }

    @Override
    public void close() {
        libc.close(fd);
    }
}
