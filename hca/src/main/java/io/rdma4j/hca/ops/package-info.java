// SPDX-License-Identifier: Apache-2.0
/**
 * The objects behind the verbs: contexts, protection domains, regions, windows, completion queues, shared receive
 * queues, address handles, XRC domains and device memory. They use parts of the port, not the port itself. Queue pairs
 * come from a {@link io.rdma4j.hca.qp.QpFactory}.
 */
@NullMarked
package io.rdma4j.hca.ops;

import org.jspecify.annotations.NullMarked;
