// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.transmit;

/**
 * Size of the transmit queues of a device.
 *
 * @param queues number of queues
 * @param length maximum number of packets in each queue
 * @param packetsKept maximum number of packets cut from trains that the driver may hold at a time
 */
public record QueueSize(int queues, int length, int packetsKept) {}
