package io.rdma4j.control.command;

import io.rdma4j.net.LinkStats64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/** The counters of a device as {@code ip -s link} shows them ({@code print_stats64}). What no device here counts is 0. */
final class StatisticsReport {
    private StatisticsReport() {}

    static void add(LinkStats64 stats, Report report) {
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
        report.json("stats64", new Report().json("rx", rx).json("tx", tx).members());
    }

    private static void table(
            String name, Map<String, String> heads, SequencedMap<String, Long> values, Report report) {
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
