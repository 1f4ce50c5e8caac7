// SPDX-License-Identifier: Apache-2.0
/** Sockets of the operating system, for drivers: opening them, and waiting for several of them. */
@NullMarked
package io.rdma4j.loop.socket;

import org.jspecify.annotations.NullMarked;
