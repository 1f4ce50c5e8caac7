// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ethtool;

/**
 * Ring sizes of a driver, packets ({@code ethtool_ringparam}).
 *
 * @param rxMax maximum of {@code rx}
 * @param txMax maximum of {@code tx}
 * @param rx received packets that wait for a poll
 * @param tx packets that wait for the link; with 0 none waits
 */
public record RingParameters(int rxMax, int txMax, int rx, int tx) {}
