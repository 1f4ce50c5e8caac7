// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import io.rdma4j.base.Gid;
import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.NodeType;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.verbs.device.SysfsFiles;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** {@code ibstat}: state of devices and ports, as the program of that name in infiniband-diags. */
final class IbstatCommand extends GetoptCommand {
    private static final int FAILED = 255;

    private final Supplier<Host> host;

    IbstatCommand(Supplier<Host> host) {
        super(
                "ibstat",
                FAILED,
                Option.flag('l', "list_of_cas", "list all IB devices"),
                Option.flag('s', "short", "short output"),
                Option.flag('p', "port_list", "show port list"));
        this.host = host;
    }

    @Override
    protected String synopsis() {
        return "Usage: ibstat [options] [<ca_name> [portnum]]      state of devices and ports";
    }

    @Override
    protected int run(Options options, PrintWriter out, PrintWriter err) {
        atMostOperands(options, 2);
        List<String> operands = options.operands();
        int port = operands.size() == 2 ? number(operands.get(1)) : 0;
        List<Device> devices = host.get().devices().stream()
                .filter(device -> operands.isEmpty() || device.name().equals(operands.getFirst()))
                .toList();
        if (devices.isEmpty()) {
            err.println(
                    "ibstat: " + (operands.isEmpty() ? "no IB devices" : "'" + operands.getFirst() + "' not found"));
            return FAILED;
        }
        for (Device device : devices) {
            if (options.has("list_of_cas")) {
                out.println(device.name());
                continue;
            }
            try (Context context = device.openToQuery()) {
                int count = context.queryDevice().physicalPortCount();
                if (port > count) {
                    err.println("ibstat: '" + device.name() + "' has no port number " + port + " - out of range");
                    return FAILED;
                }
                print(context, port, options, out);
            }
        }
        return 0;
    }

    private static int number(String text) {
        try {
            return Integer.parseUnsignedInt(text);
        } catch (NumberFormatException _) {
            throw new UsageException("'" + text + "' is no port number");
        }
    }

    private static void print(Context context, int port, Options options, PrintWriter out) {
        DeviceAttributes attributes = context.queryDevice();
        boolean isList = options.has("port_list");
        if (!isList && port == 0) {
            device(context, attributes, out);
        }
        if (options.has("short")) {
            return;
        }
        for (int number = 1; number <= attributes.physicalPortCount(); number++) {
            if (isList) {
                out.println(portGuid(context, number));
            } else if (port == 0) {
                out.println("\tPort " + number + ":");
                port(context, number, "\t\t", out);
            } else if (port == number) {
                out.println("CA: '" + context.device().name() + "'");
                out.println("Port " + number + ":");
                port(context, number, "", out);
            }
        }
    }

    private static void device(Context context, DeviceAttributes attributes, PrintWriter out) {
        Device device = context.device();
        out.println((device.nodeType() == NodeType.SWITCH ? "Switch" : "CA") + " '" + device.name() + "'");
        out.println("\tCA type: rdma4j");
        out.println("\tNumber of ports: " + attributes.physicalPortCount());
        out.println("\tFirmware version: " + attributes.firmwareVersion());
        out.println("\tHardware version: " + Integer.toHexString(attributes.hardwareVersion()));
        out.println("\tNode GUID: " + hex(attributes.nodeGuid()));
        out.println("\tSystem image GUID: " + hex(attributes.systemImageGuid()));
    }

    private static void port(Context context, int number, String indent, PrintWriter out) {
        PortAttributes port = context.queryPort(number);
        Map<String, String> files = SysfsFiles.port(port);
        String rate = files.getOrDefault("rate", "");
        out.println(indent + "State: " + state(port.state()));
        out.println(indent + "Physical state: "
                + files.getOrDefault("phys_state", "").replaceFirst("^.*: ", ""));
        out.println(indent + "Rate: " + rate.substring(0, rate.indexOf(' ')));
        out.println(indent + "Base lid: " + port.lid());
        out.println(indent + "LMC: " + port.lmc());
        out.println(indent + "SM lid: " + port.smLid());
        out.println(indent + "Capability mask: 0x%08x".formatted(PortCapability.mask(port.capabilities())));
        out.println(indent + "Port GUID: " + portGuid(context, number));
        out.println(indent + "Link layer: " + files.get("link_layer"));
    }

    private static String state(PortState state) {
        return switch (state) {
            case DOWN -> "Down";
            case INIT -> "Initializing";
            case ARMED -> "Armed";
            case ACTIVE -> "Active";
            default -> "?";
        };
    }

    private static String portGuid(Context context, int number) {
        Gid gid = context.queryGid(number, 0);
        return hex(gid.interfaceId());
    }

    private static String hex(long guid) {
        return "0x%016x".formatted(guid);
    }
}
