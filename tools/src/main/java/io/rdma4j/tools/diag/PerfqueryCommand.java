// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.verbs.Host;
import io.rdma4j.wire.mad.ClassPortInfo;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.pm.PortCountersAttribute;
import io.rdma4j.wire.mad.pm.PortCountersExtended;
import io.rdma4j.wire.mad.sm.NodeInfo;
import io.rdma4j.wire.mad.sm.SwitchInfo;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** {@code perfquery}: reads and resets the counters of ports. */
public final class PerfqueryCommand extends DiagCommand {
    private static final int ALL_PORTS = 255;
    private static final int DATA_BYTES = 192;
    private static final int ALL_PORT_SELECT = 1 << 8;
    private static final int XMIT_WAIT = 1 << 12;
    private static final int QP1_DROPPED = 1 << 15;
    private static final int WIDTHS = 3 << 9;
    private static final int RESET_WAIT = 1 << 16;
    private static final int RESET_QP1 = 1 << 17;
    private static final int RESET_EXTENDED = 0xFFF_0000;
    private static final int DEFAULT_MASK = 0xFFFF;

    /** @param host with the devices */
    public PerfqueryCommand(Supplier<Host> host) {
        super(
                "perfquery",
                "[options] [<lid|guid> [[port(s)] [reset_mask]]]      counters of ports",
                host,
                "DsK",
                own());
    }

    private static Option[] own() {
        List<Option> options = new ArrayList<>();
        options.add(Option.flag('x', "extended", "show extended port counters"));
        CounterOption.ALL.forEach(counters -> options.add(counters.option()));
        options.add(Option.flag('a', "all_ports", "show the counters of all ports together"));
        options.add(Option.flag('l', "loop_ports", "show the counters of each port"));
        options.add(Option.flag('r', "reset_after_read", "reset the counters after reading"));
        options.add(Option.flag('R', "Reset_only", "only reset the counters"));
        options.add(Option.value(Option.NO_LETTER, "sm_port", "lid", "LID of the subnet manager"));
        return options.toArray(Option[]::new);
    }

    @Override
    int run(MadAccess mads, Options options, PrintWriter out, PrintWriter err) throws DiagFailure {
        atMostOperands(options, 3);
        List<String> operands = options.operands();
        boolean isSelf = operands.isEmpty();
        MadTarget to = isSelf ? MadTarget.ofLid(mads.port().lid()) : target(mads, options, operands.getFirst(), null);
        int port = isSelf ? mads.portNumber() : options.has("all_ports") ? ALL_PORTS : 0;
        List<Integer> ports = operands.size() > 1 ? ports(operands.get(1)) : List.of(port);
        new Query(mads, options, to, out, err).run(ports, operands.size() > 2 ? operands.get(2) : null);
        return 0;
    }

    private static List<Integer> ports(String text) {
        List<Integer> ports = new ArrayList<>();
        if (text.contains("-") && !text.contains(",")) {
            int dash = text.indexOf('-');
            int first = (int) number("port", text.substring(0, dash));
            int last = (int) number("port", text.substring(dash + 1));
            if (first >= last) {
                throw new UsageException("max port must be greater than min port in range");
            }
            IntStream.rangeClosed(first, last).forEach(ports::add);
        } else {
            for (String word : text.split(",", -1)) {
                ports.add((int) number("port", word));
            }
        }
        return ports;
    }

    /** One run of the tool on one node. */
    private static final class Query {
        private final MadAccess mads;
        private final Options options;
        private final MadTarget to;
        private final PrintWriter out;
        private final PrintWriter err;
        private int capabilities;
        private long moreCapabilities;

        Query(MadAccess mads, Options options, MadTarget to, PrintWriter out, PrintWriter err) {
            this.mads = mads;
            this.options = options;
            this.to = to;
            this.out = out;
            this.err = err;
        }

        private boolean isExtended() {
            return options.has("extended");
        }

        void run(List<Integer> wanted, @Nullable String resetMask) throws DiagFailure {
            MemorySegment info =
                    request("classportinfo query", MadMethod.GET, MadAttribute.CLASS_PORT_INFO, wanted.getFirst(), 0);
            capabilities = ClassPortInfo.CAPABILITY_MASK.getInt(info, 0);
            moreCapabilities = ClassPortInfo.CAPABILITY_MASK_2.get(info, 0);
            int mask = resetMask == null ? DEFAULT_MASK : (int) number("reset_mask", resetMask);
            boolean isReset = options.has("reset_after_read") || options.has("Reset_only");
            for (CounterOption counters : CounterOption.ALL) {
                if (options.has(counters.option().name())) {
                    details(counters, wanted.getFirst(), mask, isReset);
                    return;
                }
            }
            List<Integer> ports = loop(wanted);
            boolean isSum = options.has("all_ports") && !options.has("loop_ports") && ports.size() > 1;
            if (!options.has("Reset_only")) {
                show(ports, isSum);
            }
            if (isReset) {
                int full = mask | (resetMask == null ? optional() : 0);
                for (int port : ports) {
                    reset(port, full);
                }
            }
        }

        /** Returns the ports one by one where the node does not add them, or the user wants each of them. */
        private List<Integer> loop(List<Integer> wanted) throws DiagFailure {
            boolean isAll = wanted.getFirst() == ALL_PORTS;
            boolean isSelect = (capabilities & ALL_PORT_SELECT) != 0;
            if (isAll && !isSelect && !options.has("all_ports")) {
                throw new DiagFailure("AllPortSelect not supported");
            }
            if (!isAll || isSelect && !options.has("loop_ports")) {
                return wanted;
            }
            MemorySegment node = mads.get("smp query nodeinfo failed", to, MadAttribute.NODE_INFO, 0);
            int first = 1;
            if (NodeInfo.NODE_TYPE.getInt(node, 0) == FabricNode.SWITCH) {
                MemorySegment info = mads.get("smp query nodeinfo failed", to, MadAttribute.SWITCH_INFO, 0);
                first = SwitchInfo.ENHANCED_PORT_0.isSet(info, 0) ? 0 : 1;
            }
            if (!isSelect && !options.has("loop_ports")) {
                warn("main: Emulating AllPortSelect by iterating through all ports", err);
            }
            return IntStream.rangeClosed(first, NodeInfo.NUM_PORTS.getInt(node, 0))
                    .boxed()
                    .toList();
        }

        private MemorySegment request(String what, MadMethod method, MadAttribute attribute, int port, int select)
                throws DiagFailure {
            MemorySegment data = MemorySegment.ofArray(new byte[DATA_BYTES]);
            PortCountersAttribute.PORT_SELECT.put(data, 0, port);
            PortCountersAttribute.COUNTER_SELECT.put(data, 0, select);
            return mads.performance(what, to, method, attribute, data);
        }

        private void print(String title, AttributeDump dump, MemorySegment data) {
            if (options.has("json")) {
                Map<String, Object> members = dump.json(data);
                members.put("lid", to.lid());
                out.println(Json.text(members));
            } else {
                out.println(title);
                dump.print(data, out);
            }
        }

        private void details(CounterOption counters, int port, int mask, boolean isReset) throws DiagFailure {
            if (!options.has("Reset_only")) {
                MemorySegment data =
                        request("cannot query " + counters.title(), MadMethod.GET, counters.attribute(), port, 0);
                print("# " + counters.title() + " counters: " + to + " port " + port, counters.dump(), data);
            }
            if (isReset) {
                request("cannot reset " + counters.title(), MadMethod.SET, counters.attribute(), port, mask);
            }
        }

        private void show(List<Integer> ports, boolean isSum) throws DiagFailure {
            if (isExtended() && (capabilities & WIDTHS) == 0) {
                warn(
                        ("dump_perfcounters: PerfMgt ClassPortInfo CapMask 0x%02X; No extended counter support"
                                        + " indicated\n")
                                .formatted(capabilities),
                        err);
            }
            MemorySegment sum = MemorySegment.ofArray(new byte[DATA_BYTES]);
            for (int port : ports) {
                MemorySegment data = counters(port);
                if (isSum) {
                    dump().add(sum, data);
                } else {
                    print(title(port), dump(), data);
                }
            }
            if (isSum) {
                PortCountersAttribute.PORT_SELECT.put(sum, 0, ALL_PORTS);
                print(title(ALL_PORTS), dump(), sum);
            }
        }

        private AttributeDump dump() {
            return isExtended() ? AttributeDump.PORT_COUNTERS_EXTENDED : AttributeDump.PORT_COUNTERS;
        }

        private MemorySegment counters(int port) throws DiagFailure {
            if (isExtended()) {
                return request("perfextquery", MadMethod.GET, MadAttribute.PORT_COUNTERS_EXTENDED, port, 0);
            }
            MemorySegment data = request("perfquery", MadMethod.GET, MadAttribute.PORT_COUNTERS, port, 0);
            if ((capabilities & XMIT_WAIT) == 0) {
                PortCountersAttribute.XMIT_WAIT.put(data, 0, 0);
            }
            return data;
        }

        private String title(int port) {
            return isExtended()
                    ? "# Port extended counters: %s port %d (CapMask: 0x%02X CapMask2: 0x%07X)"
                            .formatted(to, port, capabilities, moreCapabilities)
                    : "# Port counters: %s port %d (CapMask: 0x%02X)".formatted(to, port, capabilities);
        }

        /** Returns the bits of the optional counters that the node has. */
        private int optional() {
            if (isExtended()) {
                return RESET_EXTENDED
                        | ((capabilities & XMIT_WAIT) != 0 ? 1 << 28 : 0)
                        | ((capabilities & QP1_DROPPED) != 0 ? 1 << 29 : 0);
            }
            return ((capabilities & XMIT_WAIT) != 0 ? RESET_WAIT : 0)
                    | ((capabilities & QP1_DROPPED) != 0 ? RESET_QP1 : 0);
        }

        private void reset(int port, int mask) throws DiagFailure {
            MemorySegment data = MemorySegment.ofArray(new byte[DATA_BYTES]);
            PortCountersAttribute.PORT_SELECT.put(data, 0, port);
            PortCountersAttribute.COUNTER_SELECT.put(data, 0, mask);
            if (isExtended()) {
                PortCountersExtended.COUNTER_SELECT_2.put(data, 0, mask >>> 16);
                mads.performance("perf ext reset", to, MadMethod.SET, MadAttribute.PORT_COUNTERS_EXTENDED, data);
            } else {
                PortCountersAttribute.COUNTER_SELECT_2.put(data, 0, mask >>> 16);
                mads.performance("perf reset", to, MadMethod.SET, MadAttribute.PORT_COUNTERS, data);
            }
        }
    }
}
