/**
 * What the layer does to packets, whatever device they are on: transport checksums, flow hash, time stamps.
 *
 * <p>The net devices and all above them call this package; it sees buffers and headers only, no device.
 */
@NullMarked
package io.rdma4j.net.skb;

import org.jspecify.annotations.NullMarked;
