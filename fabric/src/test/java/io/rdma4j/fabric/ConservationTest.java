// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.device.PortState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Packets that were injected are delivered, dropped for one counted reason, or under way, whatever happens to links and
 * tables. Each copy of a multicast packet counts.
 */
class ConservationTest {
    private static final int ENDS = 6;
    private static final int MLID = 0xC000;
    private static final int PACKETS = 3000;

    private final SplittableRandom random = new SplittableRandom(7);
    private boolean isNoisy;

    private void damage(MemorySegment bytes) {
        if (isNoisy && bytes.byteSize() > 20 && random.nextInt(30) == 0) {
            long at = random.nextLong(bytes.byteSize());
            bytes.set(ValueLayout.JAVA_BYTE, at, (byte) ~bytes.get(ValueLayout.JAVA_BYTE, at));
        }
    }

    private static long delivered(Star star) {
        return star.switchMail.arrivals.size()
                + star.mail.stream().mapToLong(box -> box.arrivals.size()).sum();
    }

    /** Small buffers, short lives, small MTUs, keys and LIDs without a port, damage, and links that are lost. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsInjectedIsDeliveredOrDropped(boolean isPlain) {
        IbLinkProfile wire = IbLinkProfile.wire(250, 64).with((bytes, _) -> damage(bytes));
        Star star = new Star(ENDS, isPlain ? IbLinkProfile.PLAIN : wire);
        star.hub.lifeTime(1);
        star.hub.port(2).neighborMtu(Mtu.MTU_256);
        star.hub.port(3).headOfQueueLife(0, 2);
        star.hub.port(4).partitions().enforce(true, true);
        isNoisy = true;
        long before = star.dropped();
        for (int i = 0; i < PACKETS; i++) {
            star.end(1 + random.nextInt(ENDS)).send(packet(star, i));
            if (i % 100 == 99) {
                star.schedule.runUntil(star.schedule.nowNs() + random.nextInt(20_000));
                long atEnd = delivered(star) + star.dropped() - before;
                assertThat(atEnd).isLessThanOrEqualTo(i + 1);
                assertThat(star.subnet.packetsInFlight()).isGreaterThanOrEqualTo(i + 1 - atEnd);
            }
            if (i % 500 == 250) {
                IbLink lost = star.links.get(random.nextInt(ENDS));
                lost.unplug();
                lost.plug();
            }
            activateAll(star);
        }
        star.run();
        assertThat(delivered(star)).isGreaterThan(PACKETS / 10);
        assertThat(star.dropped() - before).isGreaterThan(PACKETS / 10);
        assertThat(delivered(star) + star.dropped() - before).isEqualTo(PACKETS);
        star.assertEmpty();
    }

    private SkBuff packet(Star star, int number) {
        int from = 1 + random.nextInt(ENDS);
        int to = 1 + random.nextInt(ENDS + 1); // the last one has no port
        return random.nextInt(8) == 0
                ? star.packets.withPkey(from, to, 0x8123)
                : star.packets.send(from, to, random.nextInt(16), 4 * random.nextInt(500), number);
    }

    private static void activateAll(Star star) {
        for (int number = 1; number <= ENDS; number++) {
            for (IbPort port : new IbPort[] {star.end(number).port(), star.hub.port(number)}) {
                if (port.state() == PortState.INIT) {
                    Star.activate(port);
                }
            }
        }
    }

    /** Copies are made by the switch: one for each member but the sender's port. */
    @ParameterizedTest
    @ValueSource(ints = {2, 5})
    void eachCopyIsDeliveredOrDropped(int members) {
        Star star = new Star(ENDS, IbLinkProfile.wire(250, 64));
        for (int port = 1; port <= members; port++) {
            star.hub.tables().multicast(MLID, port, true);
        }
        star.hub.port(2).headOfQueueLife(0, 2);
        star.hub.lifeTime(2);
        long before = star.dropped();
        int packets = 500;
        for (int i = 0; i < packets; i++) {
            star.end(ENDS).send(star.packets.multicast(ENDS, MLID, 1024, i));
            star.end(1 + i % members).send(star.packets.send(1 + i % members, 2, 0, 1024, i));
        }
        star.run();
        long looped = packets / members; // packets of port 2 to itself have one reason, too
        assertThat(looped).isPositive();
        assertThat(delivered(star) + star.dropped() - before).isEqualTo((long) packets * members + packets);
        star.assertEmpty();
    }
}
