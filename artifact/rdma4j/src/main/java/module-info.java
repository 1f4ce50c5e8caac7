// SPDX-License-Identifier: Apache-2.0
/**
 * What users depend on: the verbs API, the software RoCEv2 device behind it, its way to other processes, and management
 * datagrams.
 */
module io.rdma4j {
    requires transitive io.rdma4j.verbs;
    requires transitive io.rdma4j.rxe;
    requires transitive io.rdma4j.uverbs;
    requires transitive io.rdma4j.mad;
    requires transitive io.rdma4j.sa;
}
