/** What users depend on: the verbs API and the software RoCEv2 device behind it. */
module io.rdma4j {
    requires transitive io.rdma4j.verbs;
    requires transitive io.rdma4j.rxe;
}
