// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.LinkKind;
import io.rdma4j.net.ns.LinkRequest;

/**
 * Creates {@link BondDevice}s ({@code ip link add type bond}). Attribute {@code mode}: active-backup or balance-xor.
 */
public final class BondKind implements LinkKind {
    /** For the service loader. */
    public BondKind() {}

    @Override
    public String name() {
        return "bond";
    }

    @Override
    public NetDevice setup(LinkRequest request) {
        KindRequest asked = new KindRequest(request);
        BondMode mode = BondMode.of(asked.text("mode", "active-backup"));
        return asked.finish(BondDevice.bond(asked.name("bond%d"), mode).netDevice());
    }
}
