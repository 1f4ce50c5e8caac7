// SPDX-License-Identifier: Apache-2.0
/**
 * The transmit path of a network device: queues, their choice, and fix-ups for the driver.
 */
@NullMarked
package io.rdma4j.net.transmit;

import org.jspecify.annotations.NullMarked;
