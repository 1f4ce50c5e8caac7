// SPDX-License-Identifier: Apache-2.0
/**
 * Management datagrams (MADs) of one queue pair: agents, transactions with timeouts and retries, RMPP and redirection.
 * Answers to {@code ib_mad.h}.
 *
 * <p>{@link io.rdma4j.mad.MadPort} does no I/O and reads no clock: it gets received datagrams, completions of sends and
 * the time, and posts datagrams to a {@link io.rdma4j.mad.DatagramOutput}. {@code io.rdma4j.mad.gsi} connects it to the
 * general services queue pair of a device.
 *
 * <p>A segment that a parameter or a result calls a datagram has 256 bytes, in the layout of {@link
 * io.rdma4j.wire.mad.Mad}. Times named {@code nowNs} are those of one {@link io.rdma4j.base.NanoClock}.
 */
@NullMarked
package io.rdma4j.mad;

import org.jspecify.annotations.NullMarked;
