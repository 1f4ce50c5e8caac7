// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.device.PortState;
import java.util.ArrayList;
import java.util.List;

/** One switch with an end port at each of its ports; the end port at port n has the LID n, and all ports are active. */
final class Star {
    final EventSchedule schedule = new EventSchedule();
    final IbSubnet subnet = new IbSubnet(schedule);
    final Packets packets = new Packets();
    final Mailbox switchMail = new Mailbox(schedule);
    final List<Mailbox> mail = new ArrayList<>();
    final List<IbEndPort> ends = new ArrayList<>();
    final List<IbLink> links = new ArrayList<>();
    final IbSwitch hub;

    Star(int ports, IbLinkProfile profile) {
        this(ports, profile, 15);
    }

    Star(int ports, IbLinkProfile profile, int lanes) {
        hub = subnet.newSwitch(ports, switchMail, PortObserver.NONE);
        for (int number = 1; number <= ports; number++) {
            Mailbox box = new Mailbox(schedule);
            IbEndPort end = subnet.newEndPort(1, box, PortObserver.NONE);
            end.port().lanes(lanes);
            hub.port(number).lanes(lanes);
            links.add(subnet.connect(end.port(), hub.port(number), profile));
            mail.add(box);
            ends.add(end);
        }
        schedule.runUntil(1_000_000);
        for (int number = 1; number <= ports; number++) {
            end(number).lid(number, 0);
            hub.tables().linear(number, number);
            activate(end(number).port());
            activate(hub.port(number));
        }
    }

    static void activate(IbPort port) {
        assertThat(port.setState(PortState.ARMED)).isTrue();
        assertThat(port.setState(PortState.ACTIVE)).isTrue();
    }

    IbEndPort end(int lid) {
        return ends.get(lid - 1);
    }

    Mailbox mail(int lid) {
        return mail.get(lid - 1);
    }

    boolean send(int from, int to, int payload, int number) {
        return end(from).send(packets.send(from, to, 0, payload, number));
    }

    /** Runs until nothing happens any more. */
    void run() {
        while (schedule.runNext()) {
            assertThat(subnet.packetsInFlight()).isNotNegative();
        }
    }

    /** Everything that was sent has been delivered or dropped, and all buffers are free. */
    void assertEmpty() {
        assertThat(subnet.packetsInFlight()).isZero();
        assertThat(packets.outstanding()).isZero();
    }

    long dropped() {
        long sum = 0;
        for (int number = 1; number <= ends.size(); number++) {
            sum += hub.port(number).counts().dropped()
                    + end(number).port().counts().dropped();
        }
        return sum;
    }
}
