// SPDX-License-Identifier: Apache-2.0
/** Shared memory between processes of one user. */
module io.rdma4j.shm {
    requires transitive io.rdma4j.base;
    requires io.rdma4j.wire;
    requires transitive io.rdma4j.packet;
    requires transitive io.rdma4j.net;
    requires static org.jspecify;

    exports io.rdma4j.shm to
            io.rdma4j.rxe,
            io.rdma4j.udp;
}
