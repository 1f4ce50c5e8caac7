// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ethtool;

/**
 * Numbers of queues of a driver ({@code ethtool_channels}).
 *
 * @param rxMax maximum of {@code rx}
 * @param txMax maximum of {@code tx}
 * @param rx receive queues
 * @param tx transmit queues
 */
public record ChannelCounts(int rxMax, int txMax, int rx, int tx) {}
