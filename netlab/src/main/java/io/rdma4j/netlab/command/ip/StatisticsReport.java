// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ip;

import io.rdma4j.net.LinkStats64;
import io.rdma4j.netlab.command.shell.CommandReport;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/**
 * Formats the counters of a device as {@code ip -s link} does ({@code print_stats64}). Counters that no device has are
 * 0.
 */
final class StatisticsReport {
    private StatisticsReport() {}

    static void add(LinkStats64 stats, CommandReport report) {
        SequencedMap<String, Long> rx = new LinkedHashMap<>();
        rx.put("bytes", stats.rxBytes());
        rx.put("packets", stats.rxPackets());
        rx.put("errors", stats.rxErrors());
        rx.put("dropped", stats.rxDropped());
        rx.put("over_errors", 0L);
        rx.put("multicast", stats.multicast());
        SequencedMap<String, Long> tx = new LinkedHashMap<>();
        tx.put("bytes", stats.txBytes());
        tx.put("packets", stats.txPackets());
        tx.put("errors", stats.txErrors());
        tx.put("dropped", stats.txDropped());
        tx.put("carrier_errors", 0L);
        tx.put("collisions", 0L);
        table("RX", Map.of("over_errors", "missed", "multicast", "mcast"), rx, report);
        table("TX", Map.of("carrier_errors", "carrier", "collisions", "collsns"), tx, report);
        report.json("stats64", new CommandReport().json("rx", rx).json("tx", tx).members());
    }

    private static void table(
            String name, Map<String, String> heads, SequencedMap<String, Long> values, CommandReport report) {
        StringBuilder head = new StringBuilder("\n    " + name + ": ");
        StringBuilder line = new StringBuilder("\n        ");
        values.forEach((key, value) -> {
            String title = heads.getOrDefault(key, key);
            int width = Math.max(title.length(), String.valueOf(value).length());
            head.append(String.format("%" + width + "s ", title));
            line.append(String.format("%" + width + "s ", value));
        });
        report.text(head.toString()).text(line.toString());
    }
}
