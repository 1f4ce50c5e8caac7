// SPDX-License-Identifier: Apache-2.0
/**
 * Headers of the InfiniBand transport: one class per header, and the table of opcodes.
 *
 * <p>A header class has static accessors with the parameters {@code (MemorySegment segment, long offset)}, where
 * {@code offset} is the header's first byte. Nothing is copied, allocated or kept. Fields of 8, 16 and 24 bits are
 * returned as non-negative {@code int}. Fields of 32 and 64 bits are returned as {@code int} and {@code long} with all
 * bits significant. All fields are big-endian unless stated otherwise. A setter of a narrow field uses only the low
 * bits of its argument. {@code write} sets every bit of a header, reserved ones to zero.
 *
 * <p>Accessors do not validate the bytes; {@link io.rdma4j.wire.roce.RocePacket#check} does so once per packet. An
 * offset outside the segment is a bug of the caller and throws {@link IndexOutOfBoundsException}.
 *
 * <p>In the layout drawings a row has four bytes; the number to its left is the offset of the first. This package does
 * not depend on time, threads, I/O or connections.
 */
@NullMarked
package io.rdma4j.wire;

import org.jspecify.annotations.NullMarked;
