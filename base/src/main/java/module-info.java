// SPDX-License-Identifier: Apache-2.0
/** Types that all modules use: numbers, identifiers, errors, time. */
module io.rdma4j.base {
    requires jdk.net;
    requires static org.jspecify;

    exports io.rdma4j.base;
    exports io.rdma4j.base.local to
            io.rdma4j.dropin,
            io.rdma4j.hca,
            io.rdma4j.rxe,
            io.rdma4j.shm,
            io.rdma4j.tools,
            io.rdma4j.transport,
            io.rdma4j.uverbs,
            io.rdma4j.verbs;
}
