/**
 * IP on a link: {@link io.rdma4j.net.ip.IpInterface} finds out which station answers to an address, by ARP and by IPv6 neighbour
 * discovery, keeps what it found in a {@link io.rdma4j.net.ip.NeighbourTable}, and answers to questions for the device's own
 * addresses.
 *
 * <p>No threads and no clock: all belongs to the owner of the device's loop, who says what time it is and calls
 * {@code onTimeout} when a deadline has come. RoCE's device and tests call this package.
 */
@NullMarked
package io.rdma4j.net.ip;

import org.jspecify.annotations.NullMarked;
