// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.LinkKind;
import io.rdma4j.net.ns.LinkRequest;

/** Creates {@link DummyDevice}s ({@code ip link add type dummy}). */
public final class DummyKind implements LinkKind {
    private static final int DEFAULT_MTU = 1500;

    /** For the service loader. */
    public DummyKind() {}

    @Override
    public String name() {
        return "dummy";
    }

    @Override
    public NetDevice setup(LinkRequest request) {
        KindRequest asked = new KindRequest(request);
        return asked.finish(DummyDevice.create(asked.name("dummy%d"), DEFAULT_MTU));
    }
}
