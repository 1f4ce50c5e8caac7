// SPDX-License-Identifier: Apache-2.0
/**
 * What users depend on: the verbs API, the software RoCEv2 device behind it, its way to other processes, management
 * datagrams, and connections.
 */
module io.rdma4j {
    requires transitive io.rdma4j.verbs;
    requires transitive io.rdma4j.rxe;
    requires transitive io.rdma4j.uverbs;
    requires transitive io.rdma4j.mad;
    requires transitive io.rdma4j.sa;
    requires transitive io.rdma4j.cm;
    requires transitive io.rdma4j.rdmacm;
}
