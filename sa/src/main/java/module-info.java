// SPDX-License-Identifier: Apache-2.0
/** Client of the subnet administrator: paths, multicast groups and services. */
module io.rdma4j.sa {
    requires transitive io.rdma4j.mad;
    requires static org.jspecify;

    exports io.rdma4j.sa;
}
