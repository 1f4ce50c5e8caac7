// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Gid;

/**
 * How this host reaches an address.
 *
 * @param device sends the packets
 * @param source its address
 * @param hopLimit of the packets: 8 bits
 */
public record ResolvedRoute(LocalDevice device, Gid source, int hopLimit) {}
