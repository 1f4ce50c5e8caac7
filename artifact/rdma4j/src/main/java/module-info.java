// SPDX-License-Identifier: Apache-2.0
/** What users depend on: the verbs API, the software RoCEv2 device behind it, and its way to other processes. */
module io.rdma4j {
    requires transitive io.rdma4j.verbs;
    requires transitive io.rdma4j.rxe;
    requires transitive io.rdma4j.uverbs;
}
