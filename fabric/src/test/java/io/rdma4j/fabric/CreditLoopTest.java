// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Four switches in a ring, with a host each; every host sends two hops clockwise. */
class CreditLoopTest {
    private static final int NODES = 4;
    private static final int HOST = 1;
    private static final int CLOCKWISE = 2;
    private static final int BACK = 3;
    private static final int PACKETS = 200;
    /** One packet of 1024 bytes. */
    private static final int BLOCKS = 17;

    private final EventSchedule schedule = new EventSchedule();
    private final IbSubnet subnet = new IbSubnet(schedule);
    private final Packets packets = new Packets();
    private final List<IbSwitch> switches = new ArrayList<>();
    private final List<IbEndPort> hosts = new ArrayList<>();
    private final List<Mailbox> mail = new ArrayList<>();

    private void build() {
        IbLinkProfile profile = IbLinkProfile.wire(100, BLOCKS);
        for (int i = 0; i < NODES; i++) {
            switches.add(subnet.newSwitch(3, (skb, _) -> skb.free(), PortObserver.NONE));
            Mailbox box = new Mailbox(schedule);
            IbEndPort host = subnet.newEndPort(1, box, PortObserver.NONE);
            subnet.connect(host.port(), switches.get(i).port(HOST), profile);
            host.lid(1 + i, 0);
            hosts.add(host);
            mail.add(box);
        }
        for (int i = 0; i < NODES; i++) {
            subnet.connect(
                    switches.get(i).port(CLOCKWISE),
                    switches.get((i + 1) % NODES).port(BACK),
                    profile);
            for (int lid = 1; lid <= NODES; lid++) {
                switches.get(i).tables().linear(lid, lid == i + 1 ? HOST : CLOCKWISE);
            }
        }
        schedule.runUntil(1000);
        for (int i = 0; i < NODES; i++) {
            Star.activate(hosts.get(i).port());
            for (int port = 1; port <= 3; port++) {
                Star.activate(switches.get(i).port(port));
            }
        }
    }

    private void sendAll() {
        for (int n = 0; n < PACKETS; n++) {
            for (int i = 0; i < NODES; i++) {
                hosts.get(i).send(packets.send(1 + i, 1 + (i + 2) % NODES, 0, 1024, n));
            }
        }
    }

    private long arrived() {
        return mail.stream().mapToLong(box -> box.arrivals.size()).sum();
    }

    private void run() {
        while (schedule.runNext()) {
            // to the end
        }
    }

    @Test
    void withoutAgesTrafficStopsForEver() {
        build();
        sendAll();
        run();

        assertThat(arrived()).isLessThan(NODES * PACKETS);
        assertThat(subnet.packetsInFlight()).isEqualTo(NODES * PACKETS - arrived());
    }

    @Test
    void withAgesTrafficGoesOnWithLosses() {
        build();
        for (IbSwitch each : switches) {
            for (int port = 1; port <= 3; port++) {
                each.port(port).headOfQueueLife(3, 7);
            }
        }
        sendAll();
        run();

        long discards = 0;
        for (IbSwitch each : switches) {
            for (int port = 1; port <= 3; port++) {
                discards += each.port(port).counts().get(PortCount.SW_HOQ_LIFETIME_LIMIT_DISCARDS);
            }
        }
        assertThat(discards).isPositive();
        assertThat(arrived() + discards).isEqualTo(NODES * PACKETS);
        assertThat(subnet.packetsInFlight()).isZero();
        assertThat(packets.outstanding()).isZero();
    }
}
