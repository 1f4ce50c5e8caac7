// SPDX-License-Identifier: Apache-2.0
/**
 * Shared classes of the cases: the target under test, endpoints, pairs, rejections, and verbs with invalid arguments.
 */
@NullMarked
package io.rdma4j.testing.conformance.harness;

import org.jspecify.annotations.NullMarked;
