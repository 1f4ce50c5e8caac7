// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.wire.mad.ClassPortInfo;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.pm.PortCountersAttribute;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Reads the counters of nodes, and prints those that are errors. One thread. */
final class ErrorReport {
    private static final int ALL_PORTS = 255;
    /** Bytes of an attribute of performance management. */
    static final int DATA_BYTES = 192;

    private static final int ALL_PORT_SELECT = 1 << 8;
    private static final int WIDTHS = 3 << 9;
    private static final int XMIT_WAIT = 1 << 12;
    private static final int ERRORS = 0xFFF;
    private static final int DATA = 0xF000;
    private static final int EXTENDED_DATA = 0xFF;
    private static final int UNIT = 1024;
    private static final List<String> UNITS = List.of("", "K", "M", "G", "T", "P", "E");
    private static final String SWITCH_RELAY = "PortRcvSwitchRelayErrors";

    /** Counters of {@link AttributeDump#PORT_COUNTERS} that are no errors. */
    private static final Set<String> NO_ERRORS = Set.of(
            "PortSelect",
            "CounterSelect",
            "CounterSelect2",
            "QP1Dropped",
            "PortXmitData",
            "PortRcvData",
            "PortXmitPkts",
            "PortRcvPkts");

    private final MadAccess mads;
    private final Options options;
    private final PrintWriter out;
    private final PrintWriter err;
    private final List<String> suppressed = new ArrayList<>();
    private final Map<String, Long> thresholds = new HashMap<>();
    private final List<Map<String, Object>> bad = new ArrayList<>();
    private String thresholdText = "Thresholds: ";
    private int nodes;
    private int badNodes;
    private int ports;
    private int failures;

    ErrorReport(MadAccess mads, Options options, PrintWriter out, PrintWriter err) {
        this.mads = mads;
        this.options = options;
        this.out = out;
        this.err = err;
        if (options.has("suppress-common")) {
            suppressed.add(SWITCH_RELAY);
        }
        String list = options.text("suppress");
        if (list != null) {
            for (String name : list.split(",", -1)) {
                if (AttributeDump.PORT_COUNTERS.fields().stream()
                        .anyMatch(field -> field.name().equals(name))) {
                    suppressed.add(name);
                }
            }
        }
        String file = options.text("threshold-file");
        if (file != null) {
            readThresholds(Path.of(file));
        }
    }

    private void readThresholds(Path file) {
        try {
            for (String line : Files.readAllLines(file)) {
                if (!line.isBlank() && !line.startsWith("#")) {
                    String[] words = line.split("=", 2);
                    long value = words.length < 2 ? 0 : DiagCommand.number(words[0], words[1].strip());
                    thresholds.put(words[0], value);
                    thresholdText += "[" + words[0] + " = " + value + "]";
                }
            }
        } catch (IOException e) {
            throw new UsageException("'" + file + "' cannot be read: " + e.getMessage());
        }
    }

    /** Returns the error counters that are not zero, by name. Ticks of waiting are no errors. */
    static Map<String, Long> errors(MemorySegment counters) {
        Map<String, Long> errors = new LinkedHashMap<>();
        for (AttributeDump.Field field : AttributeDump.PORT_COUNTERS.fields()) {
            long value = field.field().get(counters, 0);
            if (value != 0 && !NO_ERRORS.contains(field.name()) && !field.name().equals("PortXmitWait")) {
                errors.put(field.name(), value);
            }
        }
        return errors;
    }

    int nodes() {
        return nodes;
    }

    int ports() {
        return ports;
    }

    /** Returns the ports with errors, as objects of JSON. */
    List<Map<String, Object>> bad() {
        return bad;
    }

    void printSummary() {
        out.println();
        out.println("## Summary: " + nodes + " nodes checked, " + badNodes + " bad nodes found");
        out.println("##          " + ports + " ports checked, " + bad.size() + " ports have errors beyond threshold");
        out.println("## " + thresholdText);
        if (failures > 0) {
            out.println("##          " + failures + " PMA query failures");
        }
        out.println("## Suppressed:" + (suppressed.isEmpty() ? "" : " " + String.join(" ", suppressed)));
    }

    /** Reads the counters of a node. */
    void check(FabricNode node) {
        new NodeCheck(node).run();
    }

    private MemorySegment request(MadTarget to, MadMethod method, MadAttribute attribute, int port, int mask)
            throws DiagFailure {
        MemorySegment data = MemorySegment.ofArray(new byte[DATA_BYTES]);
        PortCountersAttribute.PORT_SELECT.put(data, 0, port);
        PortCountersAttribute.COUNTER_SELECT.put(data, 0, mask);
        if (attribute == MadAttribute.PORT_COUNTERS) {
            PortCountersAttribute.COUNTER_SELECT_2.put(data, 0, mask >>> 16);
        }
        return mads.performance("", to, method, attribute, data);
    }

    private boolean isError(AttributeDump.Field field, long value) {
        return !NO_ERRORS.contains(field.name())
                && !suppressed.contains(field.name())
                && value > thresholds.getOrDefault(field.name(), 0L);
    }

    private static boolean isData(String name) {
        return name.startsWith("PortXmit") && (name.endsWith("Data") || name.endsWith("Pkts"))
                || name.startsWith("PortRcv") && (name.endsWith("Data") || name.endsWith("Pkts"))
                || name.startsWith("PortUnicast")
                || name.startsWith("PortMulticast");
    }

    /** Returns a counter of data, in bytes or packets, with a unit of 1024. */
    private static String readable(String name, long value) {
        boolean isWords = name.endsWith("Data");
        int unit = 0;
        double divisor = 1;
        for (long rest = Long.divideUnsigned(value, UNIT); rest != 0; rest /= UNIT) {
            unit++;
            divisor *= UNIT;
        }
        double scaled = value * (isWords ? 4.0 : 1.0);
        if (isWords && scaled / divisor > UNIT) {
            unit++;
            divisor *= UNIT;
        }
        return String.format(
                Locale.ROOT,
                " [%s == %d (%5.3f%s%s)]",
                name,
                value,
                scaled / divisor,
                UNITS.get(unit),
                isWords ? "B" : "");
    }

    /** One node. */
    private final class NodeCheck {
        private final FabricNode node;
        private int capabilities;
        private boolean isTitled;

        NodeCheck(FabricNode node) {
            this.node = node;
        }

        private MadTarget to(FabricPort port) {
            return MadTarget.ofLid(port.lid());
        }

        private long guid() {
            return node.ports().iterator().next().guid();
        }

        void run() {
            List<FabricPort> own = node.ports().stream()
                    .filter(port -> port.number() != 0 || node.isEnhanced())
                    .toList();
            FabricPort first = node.ports().iterator().next();
            try {
                MemorySegment info = request(to(first), MadMethod.GET, MadAttribute.CLASS_PORT_INFO, first.number(), 0);
                capabilities = ClassPortInfo.CAPABILITY_MASK.getInt(info, 0);
            } catch (DiagFailure e) {
                failed("query_cap_mask: classportinfo query failed", first, first.number(), e);
            }
            boolean isSelect = (capabilities & ALL_PORT_SELECT) != 0;
            boolean isData = options.has("counters");
            if (!isData && isSelect && !errors(first, ALL_PORTS)) {
                ports += node.portCount();
            } else {
                for (FabricPort port : own) {
                    if (isData) {
                        data(port);
                    } else {
                        errors(port, port.number());
                    }
                    ports++;
                    if (!isSelect) {
                        clear(port, port.number());
                    }
                }
            }
            nodes++;
            if (isSelect) {
                clear(first, ALL_PORTS);
            }
        }

        private void failed(String what, FabricPort port, int number, DiagFailure failure) {
            failures++;
            String warning = failure.warning();
            if (warning != null) {
                DiagCommand.warn(warning, err);
            }
            DiagCommand.warn("%s on %s, %s port %d".formatted(what, node.description(), to(port), number), err);
        }

        private boolean isExtended() {
            return (capabilities & WIDTHS) != 0;
        }

        private MemorySegment extended(FabricPort port, int number) throws DiagFailure {
            return request(to(port), MadMethod.GET, MadAttribute.PORT_COUNTERS_EXTENDED, number, 0);
        }

        /** Prints the errors of a port; returns false if it has none. */
        private boolean errors(FabricPort port, int number) {
            StringBuilder text = new StringBuilder();
            Map<String, Object> members = new LinkedHashMap<>();
            try {
                MemorySegment counters = request(to(port), MadMethod.GET, MadAttribute.PORT_COUNTERS, number, 0);
                if ((capabilities & XMIT_WAIT) == 0) {
                    PortCountersAttribute.XMIT_WAIT.put(counters, 0, 0);
                }
                for (AttributeDump.Field field : AttributeDump.PORT_COUNTERS.fields()) {
                    long value = field.field().get(counters, 0);
                    if (isError(field, value)) {
                        text.append(" [%s == %d]".formatted(field.name(), value));
                        members.put(field.name(), value);
                    }
                }
                if (!text.isEmpty() && options.has("data")) {
                    text.append(dataText(isExtended() ? extended(port, number) : counters, isExtended(), false));
                }
            } catch (DiagFailure e) {
                failed("print_errors: IB_GSI_PORT_COUNTERS query failed", port, number, e);
                return false;
            }
            if (text.isEmpty()) {
                return false;
            }
            print(port, number, text.toString(), members);
            return true;
        }

        private String dataText(MemorySegment counters, boolean isLong, boolean isAll) {
            StringBuilder text = new StringBuilder();
            AttributeDump dump = isLong ? AttributeDump.PORT_COUNTERS_EXTENDED : AttributeDump.PORT_COUNTERS;
            for (AttributeDump.Field field : dump.fields()) {
                long value = field.field().get(counters, 0);
                if (isData(field.name()) && (isAll || value != 0)) {
                    text.append(readable(field.name(), value));
                }
            }
            return text.toString();
        }

        private void print(FabricPort port, int number, String text, Map<String, Object> members) {
            if (!isTitled) {
                isTitled = true;
                badNodes++;
                if (!options.has("json")) {
                    out.println("Errors for %s\"%s\""
                            .formatted(node.isSwitch() ? "0x%x ".formatted(guid()) : "", node.description()));
                }
            }
            boolean isAll = number == ALL_PORTS;
            if (!isAll) {
                Map<String, Object> object = new LinkedHashMap<>();
                object.put("node", node.description());
                object.put("guid", "0x%016x".formatted(port.guid()));
                object.put("port", number);
                object.putAll(members);
                bad.add(object);
            }
            if (options.has("json") || isAll && !node.isSwitch()) {
                return;
            }
            out.println("   GUID 0x%x port %s:%s".formatted(port.guid(), isAll ? "ALL" : number, text));
            if (!isAll && options.has("report-port")) {
                out.println("       Link info: " + new LinkLine(port).report());
            }
        }

        private void data(FabricPort port) {
            try {
                MemorySegment counters = isExtended()
                        ? extended(port, port.number())
                        : request(to(port), MadMethod.GET, MadAttribute.PORT_COUNTERS, port.number(), 0);
                if (options.has("json")) {
                    return;
                }
                if (!isTitled) {
                    isTitled = true;
                    out.println("Data Counters for 0x%x \"%s\"".formatted(node.guid(), node.description()));
                }
                out.println("   GUID 0x%x port %d:%s"
                        .formatted(node.guid(), port.number(), dataText(counters, isExtended(), true)));
                if (options.has("report-port")) {
                    out.println("       Link info: " + new LinkLine(port).report());
                }
            } catch (DiagFailure e) {
                failed("print_data_cnts: IB_GSI_PORT_COUNTERS query failed", port, port.number(), e);
            }
        }

        private void clear(FabricPort port, int number) {
            int mask = (options.has("clear-errors") ? ERRORS | ((capabilities & XMIT_WAIT) != 0 ? 1 << 16 : 0) : 0)
                    | (options.has("clear-counts") ? DATA : 0);
            try {
                if (mask != 0) {
                    request(to(port), MadMethod.SET, MadAttribute.PORT_COUNTERS, number, mask);
                }
                if (options.has("clear-counts") && isExtended()) {
                    request(to(port), MadMethod.SET, MadAttribute.PORT_COUNTERS_EXTENDED, number, EXTENDED_DATA);
                }
            } catch (DiagFailure _) {
                err.println("Failed to reset errors " + node.description() + " port " + number);
            }
        }
    }
}
