/**
 * Drivers with native Linux calls. {@link io.rdma4j.net.linux.TapDevice} is a link to this machine's own network stack.
 * {@link io.rdma4j.net.linux.PacketSocketDevice} is a separate station on one of the machine's interfaces. {@link
 * io.rdma4j.net.linux.LinuxUdpDevice} sends over UDP sockets.
 *
 * <p>This is the only package with native code. {@code Libc} contains the calls, which are functions of the C library,
 * so that system call numbers, except one, are not needed. Structures are those of 64-bit little-endian Linux, which
 * are equal on x86-64, AArch64 and RISC-V. On other systems, or without native access, {@code NativeAccess} reports
 * what is missing.
 *
 * <p>A failed call returns the negative error number, as inside the kernel. The data path only counts errors. The
 * control path throws {@link io.rdma4j.base.RdmaException}, which {@code LinuxError} creates with advice.
 */
@NullMarked
package io.rdma4j.net.linux;

import org.jspecify.annotations.NullMarked;
