// SPDX-License-Identifier: Apache-2.0
/**
 * Packets of InfiniBand links: local route header, variant CRC, link packets, and the check of a whole packet.
 *
 * <p>The transport headers behind them are those of {@link io.rdma4j.wire}; the invariant CRC is
 * {@link io.rdma4j.wire.roce.Icrc#computeLocal}. Accessors follow the rules of {@link io.rdma4j.wire}.
 */
@NullMarked
package io.rdma4j.wire.ib;

import org.jspecify.annotations.NullMarked;
