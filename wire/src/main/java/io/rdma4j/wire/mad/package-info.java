// SPDX-License-Identifier: Apache-2.0
/**
 * Formats of management datagrams (MADs): the common header, RMPP, the messages of the communication manager (CM), the
 * attributes of subnet management and performance management, and the records of subnet administration (SA).
 *
 * <p>A class for each structure declares its fields as constants: name, offset and width. Encoders, decoders, printers
 * and tests use these constants; no other class contains an offset. {@link io.rdma4j.wire.mad.CmMessage} and
 * {@link io.rdma4j.wire.mad.table.MadAttribute} are the tables of structures by attribute ID.
 *
 * <p>Accessors take {@code (MemorySegment segment, long offset)}, where {@code offset} is the first byte of the
 * structure. They read and write memory of the caller; nothing is kept. All fields are big-endian. Accessors do not
 * validate values; {@link io.rdma4j.wire.mad.Mad#check} validates length and versions once for each datagram.
 */
@NullMarked
package io.rdma4j.wire.mad;

import org.jspecify.annotations.NullMarked;
