// SPDX-License-Identifier: Apache-2.0
/**
 * Functions on packets that do not depend on a device: transport checksums, flow hash, timestamps.
 *
 * <p>Network devices and all layers above call this package. It uses buffers and headers only, no device.
 */
@NullMarked
package io.rdma4j.net.skb;

import org.jspecify.annotations.NullMarked;
