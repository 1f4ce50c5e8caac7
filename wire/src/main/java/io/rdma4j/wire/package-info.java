/**
 * What travels on the wire: one header a class, the table of opcodes, the invariant CRC.
 *
 * <p>A header class is a set of static accessors over {@code (MemorySegment segment, long offset)}, where {@code offset}
 * is the header's first byte. Nothing is copied, allocated or kept; fields of 8, 16 and 24 bits are returned as
 * non-negative {@code int}, fields of 32 and 64 bits as {@code int} and {@code long} with all bits significant. All
 * fields are big-endian unless said otherwise. A setter of a narrow field cuts its argument to the width of the field.
 * {@code write} sets every bit of a header, reserved ones to zero.
 *
 * <p>Accessors do not check that the bytes make sense: {@link io.rdma4j.wire.RocePacket#check} does, once a packet. An
 * offset outside of the segment is a mistake of the caller and throws {@link IndexOutOfBoundsException}.
 *
 * <p>In the drawings a row has four bytes; the number at its left is the offset of the first. Called by everybody who
 * reads or writes packets; knows nothing of time, threads, I/O or connections.
 */
@NullMarked
package io.rdma4j.wire;

import org.jspecify.annotations.NullMarked;
