// SPDX-License-Identifier: Apache-2.0
/**
 * Links and switches of an InfiniBand subnet. {@link io.rdma4j.fabric.IbSwitch} forwards packets between its
 * {@link io.rdma4j.fabric.IbPort}s, {@link io.rdma4j.fabric.IbEndPort} sends and receives them, and
 * {@link io.rdma4j.fabric.IbLink} connects two ports.
 *
 * <p>All parts of a fabric share one {@link io.rdma4j.fabric.EventSchedule}, which is their only notion of time. The
 * caller runs it, in virtual or in real time. One thread at a time uses a fabric. Packets are {@code SkBuff}s that
 * begin with a local route header; no packet is copied, and none allocates memory, except on wire links, which make the
 * bytes of each packet with their CRCs.
 */
@NullMarked
package io.rdma4j.fabric;

import org.jspecify.annotations.NullMarked;
