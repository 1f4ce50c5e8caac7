/**
 * Drivers that call Linux itself: {@link io.rdma4j.net.linux.TapDevice}, a link to this machine's own network stack, and
 * {@link io.rdma4j.net.linux.PacketSocketDevice}, a station of its own on one of the machine's interfaces.
 *
 * <p>The only package with native code: {@code Libc} holds the calls, all of them functions of the C library, so that the numbers of
 * the kernel's calls are none of our business. Structures are those of 64-bit little-endian Linux, which x86-64, AArch64 and RISC-V
 * have in common; elsewhere, or without leave to call native code, {@code NativeAccess} says what is missing.
 *
 * <p>A call that fails gives the negative error number, as inside the kernel. On the data path it only counts; on the way there
 * {@code LinuxError} makes an {@link io.rdma4j.base.RdmaException} of it that says what to do.
 */
@NullMarked
package io.rdma4j.net.linux;

import org.jspecify.annotations.NullMarked;
