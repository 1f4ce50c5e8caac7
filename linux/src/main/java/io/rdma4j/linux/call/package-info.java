// SPDX-License-Identifier: Apache-2.0
/**
 * The native calls of the project, the structures that they take, and their errors. {@code Libc} contains the calls,
 * which are functions of the C library, so that system call numbers, except one, are not needed. Structures are those
 * of 64-bit little-endian Linux, which are equal on x86-64, AArch64 and RISC-V. On other systems, or without native
 * access, {@code NativeAccess} reports what is missing.
 *
 * <p>A failed call returns the negative error number, as inside the kernel. The data path only counts errors. The
 * control path throws {@link io.rdma4j.base.RdmaException}, which {@code LinuxError} creates with advice.
 */
@NullMarked
package io.rdma4j.linux.call;

import org.jspecify.annotations.NullMarked;
