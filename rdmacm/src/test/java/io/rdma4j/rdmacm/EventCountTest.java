// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a layer with file descriptors and queue pairs of its own asks a channel and an id. */
class EventCountTest {
    private final VirtualHosts hosts = new VirtualHosts();
    private final VirtualHosts.VirtualHost host = hosts.host(hosts.new Port("c", "10.0.0.1"));
    private final EventChannel channel = host.cm.createChannel();
    private final RdmaId id = host.cm.createId(channel, PortSpace.TCP);

    @Test
    void eventsThatArriveOrMoveAwayAreCountedAndFetchedOnesAreNot() {
        AtomicInteger waiting = new AtomicInteger();
        AtomicInteger elsewhere = new AtomicInteger();
        EventChannel other = host.cm.createChannel();
        channel.countEvents(waiting::addAndGet);
        other.countEvents(elsewhere::addAndGet);

        id.resolveAddress(null, VirtualHosts.address("10.0.0.2", 7471), 1000);
        assertThat(waiting).hasValue(1);
        Objects.requireNonNull(channel.poll()).close();
        assertThat(waiting).hasValue(1);

        id.resolveRoute(1000);
        assertThat(waiting).hasValue(2);
        id.migrate(other);
        assertThat(waiting).hasValue(1);
        assertThat(elsewhere).hasValue(1);
        id.close();
        assertThat(elsewhere).hasValue(0);
    }

    @Test
    void anIdHasAPathWhenItsRouteIsResolved() {
        id.resolveAddress(null, VirtualHosts.address("10.0.0.2", 7471), 1000);
        assertThat(id.path()).isNull();
        id.resolveRoute(1000);

        assertThat(Objects.requireNonNull(id.path()).destinationGid()).isEqualTo(Gid.ofIpv4(0x0A00_0002));
    }
}
