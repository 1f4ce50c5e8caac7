// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.LinkKind;
import io.rdma4j.net.ns.LinkRequest;

/** Creates teams ({@link BondDevice#team}). Attribute {@code mode}, as for a bond. */
public final class TeamKind implements LinkKind {
    /** For the service loader. */
    public TeamKind() {}

    @Override
    public String name() {
        return "team";
    }

    @Override
    public NetDevice setup(LinkRequest request) {
        KindRequest asked = new KindRequest(request);
        BondMode mode = BondMode.of(asked.text("mode", "active-backup"));
        NetDevice team = BondDevice.team(asked.name("team%d"), mode).netDevice();
        team.node().type("");
        return asked.finish(team);
    }
}
