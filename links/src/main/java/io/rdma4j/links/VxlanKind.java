// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.LinkKind;
import io.rdma4j.net.ns.LinkRequest;
import io.rdma4j.wire.ip.Vxlan;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Creates {@link VxlanDevice}s ({@code ip link add vx0 type vxlan id 42 local 192.0.2.1 remote 192.0.2.2 dstport
 * 4789}). Attributes: {@code id}, and optionally {@code local}, {@code remote} and {@code dstport}. The addresses are
 * those of the computer, whose UDP sockets carry the frames.
 */
public final class VxlanKind implements LinkKind {
    private static final String NAME = "vxlan";
    private static final int DEFAULT_MTU = 1450;
    private static final int MAX_PORT = 0xFFFF;

    /** For the service loader. */
    public VxlanKind() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public NetDevice setup(LinkRequest request) {
        Map<String, String> attributes = request.attributes();
        if (!Set.of("id", "local", "remote", "dstport").containsAll(attributes.keySet())) {
            throw new RdmaException(
                    Errno.EINVAL, "vxlan has id, local, remote and dstport, not all of " + attributes.keySet());
        }
        int port = number(attributes, "dstport", Vxlan.PORT, MAX_PORT);
        InetSocketAddress local = address(attributes.getOrDefault("local", "0.0.0.0"), port);
        String remote = attributes.get("remote");
        return VxlanDevice.create(
                        request.name().isEmpty() ? "vxlan%d" : request.name(),
                        request.mtu() == 0 ? DEFAULT_MTU : request.mtu(),
                        request.macAddress(),
                        number(attributes, "id", -1, Vxlan.MAX_VNI),
                        local,
                        remote == null ? List.of() : List.of(address(remote, port)),
                        request.namespace().host().clock())
                .netDevice();
    }

    private static InetSocketAddress address(String text, int port) {
        return new InetSocketAddress(Gid.parse(text).toInetAddress(), port);
    }

    private static int number(Map<String, String> attributes, String name, int absent, int most) {
        String text = attributes.getOrDefault(name, String.valueOf(absent));
        try {
            int value = Integer.parseInt(text);
            if (value >= 0 && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new RdmaException(Errno.EINVAL, "vxlan: " + name + " " + text + " is no number", e);
        }
        throw new RdmaException(Errno.EINVAL, "vxlan: " + name + " " + text + " is not in 0.." + most);
    }
}
