// SPDX-License-Identifier: Apache-2.0
/**
 * The endpoint of tests: {@link io.rdma4j.testing.endpoint.Endpoint} creates a queue pair with its queues and its
 * memory and moves it to RTS, {@link io.rdma4j.testing.endpoint.QpPair} connects two of them. Uses only the public API
 * of the verbs, so that tests of every module above the verbs can use it.
 *
 * <p>An endpoint and a pair belong to one thread at a time.
 */
@NullMarked
package io.rdma4j.testing.endpoint;

import org.jspecify.annotations.NullMarked;
