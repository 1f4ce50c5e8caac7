// SPDX-License-Identifier: Apache-2.0
/**
 * The link addresses and the IP addresses of a network device.
 */
@NullMarked
package io.rdma4j.net.address;

import org.jspecify.annotations.NullMarked;
