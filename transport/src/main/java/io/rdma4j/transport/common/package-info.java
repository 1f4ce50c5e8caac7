// SPDX-License-Identifier: Apache-2.0
/**
 * What the requester and the responder of a queue pair share: its core, attributes, path migration, timers, rate limit,
 * and the operations on keys.
 */
@NullMarked
package io.rdma4j.transport.common;

import org.jspecify.annotations.NullMarked;
