// SPDX-License-Identifier: Apache-2.0
/**
 * Drivers with native Linux calls. {@link io.rdma4j.linux.TapDevice} is a link to this machine's own network stack.
 * {@link io.rdma4j.linux.PacketSocketDevice} is a separate station on one of the machine's interfaces.
 */
@NullMarked
package io.rdma4j.linux;

import org.jspecify.annotations.NullMarked;
