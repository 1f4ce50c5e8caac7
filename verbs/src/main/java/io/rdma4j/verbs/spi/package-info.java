// SPDX-License-Identifier: Apache-2.0
/**
 * Service provider interface: one interface for each kind of object that a device provider implements, and the
 * callbacks to the core.
 *
 * <p>Only {@link io.rdma4j.verbs} calls the interfaces, after it has checked arguments, states and use counts. The
 * default method of an optional operation throws EOPNOTSUPP.
 */
@NullMarked
package io.rdma4j.verbs.spi;

import org.jspecify.annotations.NullMarked;
