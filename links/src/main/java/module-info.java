// SPDX-License-Identifier: Apache-2.0
/** Links inside the JVM and to virtual machines, and software devices on top of other devices. */
module io.rdma4j.links {
    requires transitive io.rdma4j.base;
    requires io.rdma4j.wire;
    requires transitive io.rdma4j.packet;
    requires transitive io.rdma4j.net;
    requires transitive io.rdma4j.loop;
    requires static org.jspecify;

    exports io.rdma4j.links;
    exports io.rdma4j.links.qemu;

    provides io.rdma4j.net.ns.LinkKind with
            io.rdma4j.links.BondKind,
            io.rdma4j.links.BridgeKind,
            io.rdma4j.links.DummyKind,
            io.rdma4j.links.MacvlanKind,
            io.rdma4j.links.TeamKind,
            io.rdma4j.links.VethKind,
            io.rdma4j.links.VlanKind,
            io.rdma4j.links.VxlanKind;
}
