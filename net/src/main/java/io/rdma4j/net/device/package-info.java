// SPDX-License-Identifier: Apache-2.0
/**
 * What the parts of a network device share: its core, the values of its state, and its counters.
 */
@NullMarked
package io.rdma4j.net.device;

import org.jspecify.annotations.NullMarked;
