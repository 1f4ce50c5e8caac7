// SPDX-License-Identifier: Apache-2.0
/** Benchmarks; not shipped. They run from the class path, because JMH forks separate JVMs. */
module io.rdma4j.bench {
    requires io.rdma4j.base;
    requires io.rdma4j.fabric;
    requires io.rdma4j.ib;
    requires io.rdma4j.loop;
    requires io.rdma4j.netlab;
    requires io.rdma4j.net;
    requires io.rdma4j.packet;
    requires io.rdma4j.rdmacm;
    requires io.rdma4j.rxe;
    requires io.rdma4j.sm;
    requires io.rdma4j.testing.endpoint;
    requires io.rdma4j.tools;
    requires io.rdma4j.transport;
    requires io.rdma4j.verbs;
    requires io.rdma4j.wire;
    requires java.management;
    requires jdk.management;
    requires jmh.core;
    requires static org.jspecify;
}
