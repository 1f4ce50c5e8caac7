// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

/**
 * The two tables of a port that address its packets.
 *
 * @param gids its addresses
 * @param pkeys its partitions
 */
public record AddressTables(GidTable gids, PkeyTable pkeys) {}
