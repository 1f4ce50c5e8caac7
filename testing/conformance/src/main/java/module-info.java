// SPDX-License-Identifier: Apache-2.0
/** The conformance kit, which every provider of the verbs must pass. */
module io.rdma4j.testing.conformance {
    requires transitive io.rdma4j.base;
    requires transitive io.rdma4j.testing.endpoint;
    requires transitive io.rdma4j.verbs;
    requires transitive org.junit.jupiter.api;
    // Only the annotation of claims, which JUnit ignores where the ledger is absent.
    requires static io.rdma4j.testing.ledger;
    requires java.management;
    requires jdk.management;
    requires org.assertj.core;
    requires org.junit.jupiter.params;
    requires static org.jspecify;

    exports io.rdma4j.testing.conformance.cq;
    exports io.rdma4j.testing.conformance.device;
    exports io.rdma4j.testing.conformance.harness;
    exports io.rdma4j.testing.conformance.mr;
    exports io.rdma4j.testing.conformance.qp;
    exports io.rdma4j.testing.conformance.traffic;

    // JUnit calls the cases.
    opens io.rdma4j.testing.conformance.cq;
    opens io.rdma4j.testing.conformance.device;
    opens io.rdma4j.testing.conformance.harness;
    opens io.rdma4j.testing.conformance.mr;
    opens io.rdma4j.testing.conformance.qp;
    opens io.rdma4j.testing.conformance.traffic;
}
