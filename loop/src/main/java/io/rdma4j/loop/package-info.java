// SPDX-License-Identifier: Apache-2.0
/** The event loop that drives the devices of a host and the clients above them. */
@NullMarked
package io.rdma4j.loop;

import org.jspecify.annotations.NullMarked;
