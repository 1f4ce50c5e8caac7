package io.rdma4j.control.command;

import io.rdma4j.base.Guid;
import io.rdma4j.control.Machine;
import io.rdma4j.net.NetDevice;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Port;
import io.rdma4j.verbs.PortAttributes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * {@code rdma}: the RDMA devices of a machine, which are those of its initial namespace, in {@code iproute2}'s form. Each has one
 * port. An index is the place in the list.
 */
final class RdmaCommand implements Command {
    private static final int PORT = 1;

    @Override
    public String name() {
        return "rdma";
    }

    @Override
    public String usage() {
        return """
                rdma [-j] [-d] link [show [NAME[/1]]]
                rdma link add NAME type rxe netdev DEV
                rdma link delete NAME
                rdma [-j] dev [show [NAME]]
                rdma [-j] statistic [show [link NAME[/1]]]
                rdma [-j] resource [show [NAME]]
                rdma [-j] resource show {pd | cq | qp | mr | ctx | srq} [link NAME[/1] | dev NAME]""";
    }

    @Override
    public int run(Session session, List<String> words) {
        Arguments arguments = new Arguments(words);
        boolean json = arguments.take("-j");
        boolean details = arguments.take("-d");
        switch (arguments.next("link, dev, statistic or resource")) {
            case "link" -> link(session, arguments, json, details);
            case "dev" -> {
                arguments.take("show");
                show(session, arguments, json, RdmaCommand::describe);
            }
            case "statistic" -> {
                if (arguments.take("show")) {
                    arguments.take("link");
                }
                show(session, arguments, json, (_, device) -> statistics(device));
            }
            case "resource", "res" -> new RdmaResources(session, json).run(arguments);
            default -> throw new UsageException("there is link, dev, statistic and resource");
        }
        return 0;
    }

    private static void link(Session session, Arguments arguments, boolean json, boolean details) {
        if (arguments.take("add")) {
            String name = arguments.next("a name");
            arguments.expect("type");
            String type = arguments.next("a type");
            arguments.expect("netdev");
            String netdev = arguments.next("a network device");
            arguments.end();
            session.machine().rdma().newLink(name, type, netdev);
        } else if (arguments.take("delete")) {
            String name = arguments.next("a name");
            arguments.end();
            session.machine().rdma().deleteLink(name);
        } else {
            arguments.take("show");
            show(session, arguments, json, (machine, device) -> port(machine, device, details));
        }
    }

    /** Prints what is said of all devices, or of the one that is named. */
    private static void show(
            Session session, Arguments arguments, boolean json, BiFunction<Machine, Device, Map<String, Object>> say) {
        List<Map<String, Object>> found = new ArrayList<>();
        for (Device device : wanted(session, arguments)) {
            found.add(say.apply(session.machine(), device));
        }
        print(session, json, found);
    }

    /** All devices, or the one that the rest of the words names. */
    static List<Device> wanted(Session session, Arguments arguments) {
        List<Device> devices = session.machine().rdma().devices();
        if (!arguments.hasNext()) {
            return devices;
        }
        String name = withoutPort(arguments.next("a name"));
        arguments.end();
        return List.of(session.machine().rdma().device(name));
    }

    static void print(Session session, boolean json, List<Map<String, Object>> found) {
        if (json) {
            session.out().println(Json.text(found));
        } else {
            found.forEach(one -> session.out().println(line(one)));
        }
    }

    private static String withoutPort(String name) {
        return name.endsWith("/" + PORT) ? name.substring(0, name.length() - 2) : name;
    }

    /** What begins with an index is a device, the rest are its ports. */
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

    private static Map<String, Object> port(Machine machine, Device device, boolean details) {
        Map<String, Object> values = head(machine, device);
        values.put("port", PORT);
        try (Context context = device.open()) {
            PortAttributes port = context.queryPort(PORT);
            values.put("state", port.state().name());
            values.put("physical_state", port.physicalState().name());
            if (details) {
                management(values, context.port(PORT));
            }
        }
        NetDevice below = machine.below(device);
        if (below != null) {
            values.put("netdev", below.name());
            values.put("netdev_index", below.ifindex());
        }
        return values;
    }

    /** What management has written at a port, and the lamp, so that a person finds it. */
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

    private static Map<String, Object> describe(Machine machine, Device device) {
        Map<String, Object> values = head(machine, device);
        values.put("node_type", device.nodeType().name().toLowerCase(Locale.ROOT));
        values.put("protocol", "roce");
        try (Context context = device.open()) {
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
        try (Context context = device.open()) {
            values.putAll(context.queryHwCounters(PORT));
        }
        return values;
    }

    static Map<String, Object> head(Machine machine, Device device) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("ifindex", machine.rdma().devices().indexOf(device));
        values.put("ifname", device.name());
        return values;
    }
}
