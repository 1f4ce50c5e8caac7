// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.RegistrationState;
import io.rdma4j.net.ns.LinkKind;
import io.rdma4j.net.ns.LinkRequest;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Creates pairs of {@link VethDevice}s ({@code ip link add v0 type veth peer name v1}). Attribute {@code peer} is the
 * name of the other end, which is created and deleted together with the first. The MTU of an end cannot exceed its
 * initial value.
 */
public final class VethKind implements LinkKind {
    private static final String NAME = "veth";
    private static final String PATTERN = "veth%d";
    private static final int DEFAULT_MTU = 1500;

    /** For the service loader. */
    public VethKind() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public NetDevice setup(LinkRequest request) {
        if (!Set.of("peer").containsAll(request.attributes().keySet())) {
            throw new RdmaException(Errno.EINVAL, "veth has no parameters but \"peer\": " + request.attributes());
        }
        String name = request.name().isEmpty() ? PATTERN : request.name();
        int mtu = request.mtu() == 0 ? DEFAULT_MTU : request.mtu();
        return VethDevice.unregistered(
                        VethDevice.end(name, 0, mtu, request.macAddress(), List.of())
                                .withQueues(request.txQueues(), request.rxQueues()),
                        VethDevice.end(request.attributes().getOrDefault("peer", PATTERN), 0, mtu, 0, List.of()),
                        VethDevice.DEFAULT_QUEUE_LENGTH)
                .first();
    }

    /** {@code veth_newlink}: the other end comes first. */
    @Override
    public void newlink(LinkRequest request, NetDevice device) {
        NetDevice peer = peer(device);
        peer.node().kind(NAME);
        try {
            request.namespace().register(peer);
            request.namespace().register(device);
        } catch (RuntimeException e) {
            peer.unregister();
            throw e;
        }
    }

    @Override
    public void dellink(NetDevice device, List<NetDevice> unregister) {
        unregister.add(device);
        if (peer(device).registration().state() == RegistrationState.REGISTERED) {
            unregister.add(peer(device));
        }
    }

    private static NetDevice peer(NetDevice device) {
        return Objects.requireNonNull(device.stack().lower());
    }
}
