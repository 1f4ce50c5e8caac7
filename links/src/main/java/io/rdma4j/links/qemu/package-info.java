// SPDX-License-Identifier: Apache-2.0
/**
 * Links to the adapters of virtual machines: QEMU's {@code -netdev} types {@code socket}, {@code stream} and {@code
 * dgram}. {@link io.rdma4j.links.qemu.QemuStreamDevice} sends frames over a connection, and
 * {@link io.rdma4j.links.qemu.QemuDatagramDevice} in UDP datagrams.
 */
@NullMarked
package io.rdma4j.links.qemu;

import org.jspecify.annotations.NullMarked;
