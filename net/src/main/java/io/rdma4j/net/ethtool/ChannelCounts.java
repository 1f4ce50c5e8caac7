package io.rdma4j.net.ethtool;

/**
 * How many queues a driver works with ({@code ethtool_channels}).
 *
 * @param rxMax most that {@code rx} can be
 * @param txMax most that {@code tx} can be
 * @param rx queues that receive
 * @param tx queues that send
 */
public record ChannelCounts(int rxMax, int txMax, int rx, int tx) {}
