package io.rdma4j.net.linux;

import io.rdma4j.base.RdmaException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The file through which a program is the other end of a TAP interface ({@code Documentation/networking/tuntap.rst}): reading
 * takes a frame that the kernel sends, writing gives it one. Non-blocking. For one thread at a time.
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
     * Attaches to an interface, which is made if there is none; it goes again with this file, unless it was made to stay
     * ({@code ip tuntap add}).
     *
     * @throws RdmaException EPERM, EACCES without the right to, EBUSY if somebody is attached, EINVAL if it is no TAP interface,
     *     ENOENT, ENODEV if this Linux has none
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
        // Whoever was attached before may have let the kernel leave checksums and segmentation to him.
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

    /** Lets the kernel's end have a link, or not. Linux before 5.0 refuses, and has one always. */
    void setCarrier(boolean present) {
        flag.set(ValueLayout.JAVA_INT, 0, present ? 1 : 0);
        libc.ioctl(fd, TUNSETCARRIER, flag);
    }

    /** Takes a frame; its bytes, cut to those that fit, or -1. */
    long read(IoVector vector) {
        return Libc.readv(fd, vector.memory(), 1);
    }

    /** Gives a frame; a negative error number if it was not taken. */
    long write(IoVector vector) {
        return libc.writev(fd, vector.memory(), 1);
    }

    @Override
    public void close() {
        libc.close(fd);
    }
}
