// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.linux.call.Kernel;
import io.rdma4j.linux.call.Libc;
import io.rdma4j.linux.call.LinuxError;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/** A network interface of this machine's kernel, by name ({@code netdevice(7)}). For one thread at a time. */
final class KernelInterface implements AutoCloseable {
    /** {@code IFNAMSIZ} without the terminating zero. */
    static final int MAX_NAME_BYTES = 15;

    /** Size of a {@code struct ifreq}, bytes; the first 16 bytes are the name. */
    static final int IFREQ_BYTES = 40;

    static final int IFREQ_VALUE = 16;

    /** After the address family of a {@code struct sockaddr}. */
    private static final int IFREQ_MAC = 18;

    private static final int MAC_BYTES = 6;

    private static final long SIOCGIFFLAGS = 0x8913;
    private static final long SIOCSIFFLAGS = 0x8914;
    private static final long SIOCGIFMTU = 0x8921;
    private static final long SIOCSIFMTU = 0x8922;
    private static final long SIOCGIFHWADDR = 0x8927;
    private static final long SIOCGIFINDEX = 0x8933;

    private static final int IFF_UP = 1;
    private static final int IFF_RUNNING = 0x40;
    private static final String PRIVILEGE = "needs CAP_NET_ADMIN: run as root, or set it by ip-link(8) before";

    private final String name;
    private final Libc libc = new Libc();
    private final int socket;
    private final MemorySegment request;

    /** @throws RdmaException EINVAL for an invalid name */
    KernelInterface(String name) {
        this.name = name;
        this.request = request(name);
        this.socket = LinuxError.check(
                libc.socket(Kernel.AF_INET, Kernel.SOCK_DGRAM | Kernel.CLOEXEC, 0),
                name,
                "socket",
                "this process has too many files open");
    }

    /** Returns a {@code struct ifreq} with a name. */
    static MemorySegment request(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length == 0 || bytes.length > MAX_NAME_BYTES) {
            throw new RdmaException(
                    Errno.EINVAL, "\"" + name + "\" is no interface name: 1 to " + MAX_NAME_BYTES + " bytes");
        }
        MemorySegment request = Arena.ofAuto().allocate(IFREQ_BYTES, Long.BYTES);
        MemorySegment.copy(bytes, 0, request, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return request;
    }

    String name() {
        return name;
    }

    /** Returns true if an interface has this name. */
    boolean exists() {
        return libc.ioctl(socket, SIOCGIFINDEX, request) >= 0;
    }

    /** @throws RdmaException ENODEV if there is no such interface */
    int index() {
        return get(SIOCGIFINDEX, "SIOCGIFINDEX");
    }

    /** @throws RdmaException ENODEV if there is no such interface */
    int mtu() {
        return get(SIOCGIFMTU, "SIOCGIFMTU");
    }

    /** @throws RdmaException EINVAL for an MTU that the interface does not support, EPERM without CAP_NET_ADMIN */
    void setMtu(int bytes) {
        LinuxError.check(changeMtu(bytes), name, "MTU " + bytes + " (SIOCSIFMTU)", PRIVILEGE);
    }

    /** Sets the MTU; returns false if the interface does not support it, or this process has no permission. */
    boolean trySetMtu(int bytes) {
        return changeMtu(bytes) >= 0;
    }

    private int changeMtu(int bytes) {
        request.set(ValueLayout.JAVA_INT, IFREQ_VALUE, bytes);
        return libc.ioctl(socket, SIOCSIFMTU, request);
    }

    /** Returns the link address, 48 bits. */
    long macAddress() {
        get(SIOCGIFHWADDR, "SIOCGIFHWADDR");
        long mac = 0;
        for (int i = 0; i < MAC_BYTES; i++) {
            mac = mac << Byte.SIZE | Byte.toUnsignedLong(request.get(ValueLayout.JAVA_BYTE, IFREQ_MAC + i));
        }
        return mac;
    }

    /** Returns true if the interface exists and is administratively up ({@code IFF_UP}). */
    boolean isUp() {
        return hasFlags(IFF_UP);
    }

    /** Returns true if the interface exists, is up and has a link ({@code IFF_RUNNING}). */
    boolean isRunning() {
        return hasFlags(IFF_UP | IFF_RUNNING);
    }

    private boolean hasFlags(int flags) {
        return libc.ioctl(socket, SIOCGIFFLAGS, request) >= 0
                && (request.get(ValueLayout.JAVA_SHORT, IFREQ_VALUE) & flags) == flags;
    }

    /** Brings the interface up, like {@code ip link set up}. */
    void up() {
        LinuxError.check(libc.ioctl(socket, SIOCGIFFLAGS, request), name, "SIOCGIFFLAGS", PRIVILEGE);
        short flags = (short) (request.get(ValueLayout.JAVA_SHORT, IFREQ_VALUE) | IFF_UP);
        request.set(ValueLayout.JAVA_SHORT, IFREQ_VALUE, flags);
        LinuxError.check(libc.ioctl(socket, SIOCSIFFLAGS, request), name, "SIOCSIFFLAGS", PRIVILEGE);
    }

    private int get(long what, String call) {
        LinuxError.check(libc.ioctl(socket, what, request), name, call, "ip-link(8) shows the interfaces there are");
        return request.get(ValueLayout.JAVA_INT, IFREQ_VALUE);
    }

    @Override
    public void close() {
        libc.close(socket);
    }
}
