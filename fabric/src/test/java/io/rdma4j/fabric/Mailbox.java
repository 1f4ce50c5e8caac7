// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ib.Lrh;
import java.util.ArrayList;
import java.util.List;

/** Notes what arrives, and when. */
final class Mailbox implements PacketReceiver {
    /** A packet that arrived. */
    record Arrival(long atNs, int number, int slid, int dlid, int inputPort, int bytes) {}

    final List<Arrival> arrivals = new ArrayList<>();
    private final EventSchedule schedule;

    Mailbox(EventSchedule schedule) {
        this.schedule = schedule;
    }

    @Override
    public void receive(SkBuff packet, int inputPort) {
        arrivals.add(new Arrival(
                schedule.nowNs(),
                Packets.number(packet),
                Packets.slid(packet),
                Lrh.destinationLid(packet.memory(), packet.data()),
                inputPort,
                packet.len()));
        packet.free();
    }

    List<Integer> numbers() {
        return arrivals.stream().map(Arrival::number).toList();
    }
}
