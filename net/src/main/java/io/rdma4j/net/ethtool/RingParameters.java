package io.rdma4j.net.ethtool;

/**
 * How many packets may wait in a driver ({@code ethtool_ringparam}).
 *
 * @param rxMax most that {@code rx} can be
 * @param txMax most that {@code tx} can be
 * @param rx received and not yet taken
 * @param tx to be sent and not yet on the link; 0: none waits
 */
public record RingParameters(int rxMax, int txMax, int rx, int tx) {}
