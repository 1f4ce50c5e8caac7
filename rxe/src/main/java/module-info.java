// SPDX-License-Identifier: Apache-2.0
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.verbs.spi.Provider;

/** The software RoCEv2 device. */
module io.rdma4j.rxe {
    requires transitive io.rdma4j.base;
    requires io.rdma4j.wire;
    requires transitive io.rdma4j.packet;
    requires transitive io.rdma4j.net;
    requires transitive io.rdma4j.loop;
    requires transitive io.rdma4j.ip;
    requires io.rdma4j.linux;
    requires io.rdma4j.shm;
    requires io.rdma4j.udp;
    requires transitive io.rdma4j.verbs;
    requires transitive io.rdma4j.transport;
    requires io.rdma4j.hca;
    requires static org.jspecify;

    exports io.rdma4j.rxe;

    provides Provider with
            RxeProvider;
}
