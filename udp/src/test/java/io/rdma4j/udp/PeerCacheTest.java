// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class PeerCacheTest {
    @Test
    void samePeerIsTheSameObject() {
        PeerCache cache = new PeerCache(16, 0);
        InetSocketAddress peer = cache.ipv4(0x7F00_0002, 4791);
        assertThat(peer).isEqualTo(new InetSocketAddress("127.0.0.2", 4791));
        assertThat(cache.ipv4(0x7F00_0002, 4791)).isSameAs(peer);
        assertThat(cache.ipv4(0x7F00_0002, 4792)).isEqualTo(new InetSocketAddress("127.0.0.2", 4792));
        assertThat(cache.ipv4(0x7F00_0002, 4791)).isSameAs(peer);
    }

    @Test
    void ipv6PeersKeepTheirAddressAndLinkLocalOnesGetTheScopeOfTheInterface() {
        PeerCache cache = new PeerCache(16, 5);
        InetSocketAddress peer = ipv6(cache, "fd00::1:2");
        assertThat(Gid.of(peer.getAddress())).isEqualTo(Gid.parse("fd00::1:2"));
        assertThat(((Inet6Address) peer.getAddress()).getScopeId()).isZero();
        assertThat(((Inet6Address) ipv6(cache, "fe80::1").getAddress()).getScopeId())
                .isEqualTo(5);
    }

    @Test
    void morePeersThanPlacesAreStillAnsweredRight() {
        PeerCache cache = new PeerCache(16, 0);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 1000; i++) {
                InetSocketAddress peer = cache.ipv4(0x0A00_0000 + i, 1 + i);
                assertThat(Gid.of(peer.getAddress()).ipv4()).isEqualTo(0x0A00_0000 + i);
                assertThat(peer.getPort()).isEqualTo(1 + i);
            }
        }
    }

    @Test
    void knownPeersCostNoAllocation() {
        PeerCache cache = new PeerCache(1024, 0);
        long bytes = AllocatedBytes.inSteadyState(() -> {
            for (int i = 0; i < 20_000; i++) {
                cache.ipv4(0x0A00_0000 + (i & 63), 4791);
                cache.ipv6(0xFD00L << 48, i & 63, 4791);
            }
        });
        assertThat(bytes).isZero();
    }

    private static InetSocketAddress ipv6(PeerCache cache, String address) {
        Gid gid = Gid.parse(address);
        return cache.ipv6(gid.prefix(), gid.interfaceId(), 4791);
    }
}
