// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.rdma;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Guid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ExitCode;
import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.UsageException;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Port;
import io.rdma4j.verbs.device.PortAttributes;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * {@code rdma}: shows and changes RDMA devices in the format of {@code iproute2}. Each device has one port. Its index
 * is its position in the list. Words may be abbreviated.
 */
public final class RdmaCommand implements ShellCommand {
    private static final int PORT = 1;
    private static final String SHOW = "show";
    private static final List<String> OBJECTS = List.of("dev", "link", "resource", "statistic", "help");

    /** Creates the shell's command, which has no state. */
    public RdmaCommand() {}

    @Override
    public String name() {
        return "rdma";
    }

    @Override
    public String usage() {
        return usageText();
    }

    /** {@return the forms of the command, one on each line} */
    public static String usageText() {
        return """
            rdma [-j] [-p] [-d] link [show [NAME[/1]]]
            rdma link add NAME type rxe netdev DEV
            rdma link delete NAME
            rdma [-j] [-p] dev [show [NAME]]
            rdma [-j] [-p] statistic [show [link NAME[/1]]]
            rdma [-j] [-p] resource [show [NAME]]
            rdma [-j] [-p] resource show {pd | cq | qp | cm_id | mr | ctx | srq} [link NAME[/1] | dev NAME]
            rdma help | -V\
            """;
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        new Run(new MachineRdma(session.machine()), session.out()).run(new ArgumentReader(words));
        return 0;
    }

    /**
     * Runs the command outside of a shell.
     *
     * @param system devices to show and change
     * @param words words after {@code rdma}
     * @param out receives the output
     * @param err receives the error messages
     * @return exit code, 0 on success
     */
    public static int run(RdmaSystem system, List<String> words, PrintWriter out, PrintWriter err) {
        try {
            new Run(system, out).run(new ArgumentReader(words));
            return 0;
        } catch (UsageException e) {
            err.println("rdma: " + e.getMessage());
            err.println(usageText().indent(2).stripTrailing());
            return ExitCode.USAGE;
        } catch (RdmaException e) {
            err.println("rdma: " + e.getMessage());
            return ExitCode.FAILED;
        } finally {
            out.flush();
            err.flush();
        }
    }

    /** One call of the command. */
    static final class Run {
        private final RdmaSystem system;
        private final PrintWriter out;
        private boolean json;
        private boolean pretty;
        private boolean details;

        Run(RdmaSystem system, PrintWriter out) {
            this.system = system;
            this.out = out;
        }

        RdmaSystem system() {
            return system;
        }

        PrintWriter out() {
            return out;
        }

        boolean json() {
            return json;
        }

        private void run(ArgumentReader arguments) {
            while (arguments.peek().startsWith("-")) {
                String option = arguments.next("an option");
                switch (option.replaceFirst("^--?", "")) {
                    case "j", "json" -> json = true;
                    case "p", "pretty" -> pretty = true;
                    case "d", "details" -> details = true;
                    case "V", "Version" -> {
                        out.println("rdma utility, rdma4j");
                        return;
                    }
                    case "h", "help" -> {
                        out.println(usageText());
                        return;
                    }
                    default ->
                        throw new UsageException("option \"" + option + "\" is unknown; there is -j, -p, -d, -V");
                }
            }
            switch (object(arguments)) {
                case "link" -> link(arguments);
                case "dev" -> {
                    takeShow(arguments);
                    show(arguments, this::describe);
                }
                case "statistic" -> {
                    if (takeShow(arguments)) {
                        arguments.take("link");
                    }
                    show(arguments, Run::statistics);
                }
                case "resource" -> new RdmaResources(this).run(arguments);
                default -> out.println(usageText());
            }
        }

        private static String object(ArgumentReader arguments) {
            String word = arguments.next("dev, link, statistic or resource");
            for (String object : OBJECTS) {
                if (object.startsWith(word)) {
                    return object;
                }
            }
            throw new UsageException("\"" + word + "\" is unknown: there is link, dev, statistic and resource");
        }

        /** Consumes {@code show}, an abbreviation of it, or {@code list}. */
        static boolean takeShow(ArgumentReader arguments) {
            return arguments.take(SHOW, "sho", "sh", "s", "list", "lis", "li", "l");
        }

        private void link(ArgumentReader arguments) {
            if (arguments.take("add", "ad", "a")) {
                String name = arguments.next("a name");
                arguments.expect("type");
                String type = arguments.next("a type");
                arguments.expect("netdev");
                String netdev = arguments.next("a network device");
                arguments.end();
                system.addLink(name, type, netdev);
            } else if (arguments.take("delete", "delet", "dele", "del", "de", "d")) {
                String name = arguments.next("a name");
                arguments.end();
                system.deleteLink(name);
            } else if (arguments.take("help")) {
                out.println(usageText());
            } else {
                takeShow(arguments);
                show(arguments, this::port);
            }
        }

        /** Prints the values of all devices, or of the named one. */
        private void show(ArgumentReader arguments, Function<Device, Map<String, Object>> say) {
            List<Map<String, Object>> found = new ArrayList<>();
            for (Device device : wanted(arguments)) {
                found.add(say.apply(device));
            }
            print(found);
        }

        /** Returns all devices, or the one that the remaining words name. */
        List<Device> wanted(ArgumentReader arguments) {
            List<Device> devices = system.devices();
            if (!arguments.hasNext()) {
                return devices;
            }
            String name = withoutPort(arguments.next("a name"));
            arguments.end();
            for (Device device : devices) {
                if (device.name().equals(name)) {
                    return List.of(device);
                }
            }
            throw new RdmaException(
                    Errno.ENODEV,
                    "there is no device \"" + name + "\"; there is "
                            + (devices.isEmpty()
                                    ? "none"
                                    : devices.stream().map(Device::name).collect(Collectors.joining(", "))));
        }

        void print(List<Map<String, Object>> found) {
            if (json) {
                out.println(pretty ? Json.pretty(found) : Json.text(found));
            } else {
                found.forEach(one -> out.println(line(one)));
            }
        }

        private Map<String, Object> port(Device device) {
            Map<String, Object> values = head(device);
            values.put("port", PORT);
            try (Context context = device.openToQuery()) {
                PortAttributes port = context.queryPort(PORT);
                values.put("state", port.state().name());
                values.put("physical_state", port.physicalState().name());
                if (details) {
                    management(values, context.port(PORT));
                }
            }
            RdmaSystem.Netdev below = system.netdev(device);
            if (below != null) {
                values.put("netdev", below.name());
                values.put("netdev_index", below.index());
            }
            return values;
        }

        private Map<String, Object> describe(Device device) {
            Map<String, Object> values = head(device);
            values.put("node_type", device.nodeType().name().toLowerCase(Locale.ROOT));
            values.put("protocol", "roce");
            try (Context context = device.openToQuery()) {
                values.put("fw", context.queryDevice().firmwareVersion());
                values.put("node_guid", Guid.toString(device.guid()));
                values.put("sys_image_guid", Guid.toString(context.queryDevice().systemImageGuid()));
            }
            return values;
        }

        private static Map<String, Object> statistics(Device device) {
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("ifname", device.name());
            values.put("port", PORT);
            try (Context context = device.openToQuery()) {
                values.putAll(context.queryHwCounters(PORT));
            }
            return values;
        }

        Map<String, Object> head(Device device) {
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("ifindex", system.devices().indexOf(device));
            values.put("ifname", device.name());
            return values;
        }
    }

    private static String withoutPort(String name) {
        return name.endsWith("/" + PORT) ? name.substring(0, name.length() - 2) : name;
    }

    /** Formats values that contain a port as a link, others as a device. */
    private static String line(Map<String, Object> values) {
        Map<String, Object> rest = new LinkedHashMap<>(values);
        Object index = rest.remove("ifindex");
        Object name = rest.remove("ifname");
        Object port = rest.remove("port");
        rest.remove("netdev_index");
        String head = port == null ? index + ": " + name + ": " : "link " + name + "/" + port + " ";
        return head
                + rest.entrySet().stream()
                        .map(value -> value.getKey() + " " + value.getValue())
                        .collect(Collectors.joining(" "));
    }

    /** The attributes that subnet management sets, and the port's LED. */
    private static void management(Map<String, Object> values, Port port) {
        PortAttributes attributes = port.query();
        values.put("lid", attributes.lid());
        values.put("lmc", attributes.lmc());
        values.put("sm_lid", attributes.smLid());
        values.put("init_type", port.info().initType());
        values.put("led", port.info().led() ? "on" : "off");
        values.put(
                "caps",
                attributes.capabilities().stream().sorted().map(Enum::name).collect(Collectors.joining(",")));
    }
}
