// SPDX-License-Identifier: Apache-2.0
/** The verbs API and the part of it that every provider shares. */
module io.rdma4j.verbs {
    requires transitive io.rdma4j.base;
    requires static java.management;
    requires static org.jspecify;

    exports io.rdma4j.verbs;
    exports io.rdma4j.verbs.device;
    exports io.rdma4j.verbs.kernel;
    exports io.rdma4j.verbs.local;
    exports io.rdma4j.verbs.management;
    exports io.rdma4j.verbs.pool;
    exports io.rdma4j.verbs.spi;
    exports io.rdma4j.verbs.spi.ring;
    exports io.rdma4j.verbs.values;
    exports io.rdma4j.verbs.wr;

    uses io.rdma4j.verbs.DeviceServer;
    uses io.rdma4j.verbs.HostExtension;
    uses io.rdma4j.verbs.spi.Driver;
    uses io.rdma4j.verbs.spi.Provider;

    provides io.rdma4j.verbs.HostExtension with
            io.rdma4j.verbs.management.ManagementExtension;
}
