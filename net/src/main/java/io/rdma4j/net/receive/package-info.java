// SPDX-License-Identifier: Apache-2.0
/**
 * The receive path of a network device: polling, merging, steering, and the handlers that get the packets.
 */
@NullMarked
package io.rdma4j.net.receive;

import org.jspecify.annotations.NullMarked;
