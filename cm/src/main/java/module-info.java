// SPDX-License-Identifier: Apache-2.0
/** The InfiniBand communication manager: no thread, no clock, no socket. */
module io.rdma4j.cm {
    requires transitive io.rdma4j.base;
    requires transitive io.rdma4j.wire;
    requires transitive io.rdma4j.verbs;
    requires transitive io.rdma4j.mad;
    requires static org.jspecify;

    exports io.rdma4j.cm;
    exports io.rdma4j.cm.gsi;
}
