// SPDX-License-Identifier: Apache-2.0
/** Tests with the real Linux: a lab with a guest that has rdma_rxe and rdma-core, and the scenarios that run in it. */
module io.rdma4j.interop {
    requires io.rdma4j.base;
    requires io.rdma4j.rdmacm;
    requires io.rdma4j.rxe;
    requires io.rdma4j.verbs;
    requires static org.jspecify;

    exports io.rdma4j.interop.lab;
    exports io.rdma4j.interop.peer;
    exports io.rdma4j.interop.subnet;
    exports io.rdma4j.interop.suite;
}
