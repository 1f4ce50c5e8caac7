// SPDX-License-Identifier: Apache-2.0
/** One side of a connection for tests: a queue pair, its queues and its memory, over the verbs of any provider. */
module io.rdma4j.testing.endpoint {
    requires transitive io.rdma4j.base;
    requires transitive io.rdma4j.verbs;
    requires static org.jspecify;

    exports io.rdma4j.testing.endpoint;
}
