// SPDX-License-Identifier: Apache-2.0
/**
 * The data path of a port: the port loop, its queue pairs, and the ways of their packets to and from the carrier. All
 * state belongs to the owner of the loop.
 */
@NullMarked
package io.rdma4j.hca.qp;

import org.jspecify.annotations.NullMarked;
