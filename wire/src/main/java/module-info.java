// SPDX-License-Identifier: Apache-2.0
/** Header codecs of RoCEv2 and of the protocols below it; without state, time or I/O. */
module io.rdma4j.wire {
    requires transitive io.rdma4j.base;
    requires static org.jspecify;

    exports io.rdma4j.wire;
    exports io.rdma4j.wire.ip;
    exports io.rdma4j.wire.roce;
    exports io.rdma4j.wire.mad;
    exports io.rdma4j.wire.mad.sm;
    exports io.rdma4j.wire.mad.pm;
    exports io.rdma4j.wire.mad.sa;
    exports io.rdma4j.wire.mad.table;
    exports io.rdma4j.wire.ib;
}
