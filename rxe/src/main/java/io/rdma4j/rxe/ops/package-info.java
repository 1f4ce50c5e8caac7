/**
 * The objects behind the verbs: contexts, protection domains, regions, windows, completion queues, shared receive
 * queues, address handles, XRC domains and device memory. They use parts of the port, not the port itself, and import
 * nothing of {@link io.rdma4j.net}. Queue pairs are in {@link io.rdma4j.rxe.datapath}.
 */
@NullMarked
package io.rdma4j.rxe.ops;

import org.jspecify.annotations.NullMarked;
