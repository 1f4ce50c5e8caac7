// SPDX-License-Identifier: Apache-2.0
/**
 * The communication manager (CM, IBA chapter 12): connects queue pairs by messages between the QP1 of two ports.
 * Corresponds to the kernel module {@code ib_cm}.
 *
 * <p>{@link io.rdma4j.cm.Cm} is the state machine of one device. It does no I/O (sans-IO): its
 * {@link io.rdma4j.cm.CmDevice} sends datagrams, and its caller passes received datagrams and the time to it. A
 * {@link io.rdma4j.cm.CmId} is one end of a connection, a listener, or a request of a service ID resolution (SIDR).
 * {@link io.rdma4j.cm.CmStateTable} has all transitions.
 *
 * <p>All objects of one {@code Cm} are used by one thread at a time.
 */
@NullMarked
package io.rdma4j.cm;

import org.jspecify.annotations.NullMarked;
