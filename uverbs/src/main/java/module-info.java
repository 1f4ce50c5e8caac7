// SPDX-License-Identifier: Apache-2.0
import io.rdma4j.uverbs.client.UverbsDriver;
import io.rdma4j.uverbs.server.UverbsDeviceServer;
import io.rdma4j.verbs.DeviceServer;
import io.rdma4j.verbs.spi.Driver;

/**
 * Serves devices of one process to other processes of the same machine: commands over a socket, queues in shared
 * memory.
 */
module io.rdma4j.uverbs {
    requires transitive io.rdma4j.base;
    requires transitive io.rdma4j.mad;
    requires io.rdma4j.cm;
    requires io.rdma4j.sa;
    requires io.rdma4j.wire;
    requires transitive io.rdma4j.verbs;
    requires static org.jspecify;

    exports io.rdma4j.uverbs.client;
    exports io.rdma4j.uverbs.server;

    provides DeviceServer with
            UverbsDeviceServer;
    provides Driver with
            UverbsDriver;
}
