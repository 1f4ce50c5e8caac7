// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import io.rdma4j.base.RdmaException;
import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * {@code ibv_devinfo}: prints attributes of devices, as the program of that name in rdma-core.
 *
 * <p>Exit codes are those of the original: 255 for an unknown option or device, and the OR over all devices of 1 (open
 * fails) and 4 (no such port).
 */
final class IbvDevinfoCommand extends GetoptCommand {
    private static final int NOT_FOUND = 255;
    private static final int DOES_NOT_OPEN = 1;
    private static final int NO_SUCH_PORT = 4;
    private static final int ALL_PORTS = 0;

    private final Supplier<Host> host;

    IbvDevinfoCommand(Supplier<Host> host) {
        super(
                "ibv_devinfo",
                NOT_FOUND,
                Option.value('d', "ib-dev", "dev", "use IB device <dev> (default all devices)"),
                Option.value('i', "ib-port", "port", "use port <port> of IB device (default all ports)"),
                Option.flag('l', "list", "print only the IB devices names"),
                Option.flag('v', "verbose", "print all the attributes of the IB device(s)"),
                Option.JSON);
        this.host = host;
    }

    @Override
    protected String synopsis() {
        return "Usage: ibv_devinfo [OPTION...]      print the attributes of the RDMA devices";
    }

    @Override
    protected int run(Options options, PrintWriter out, PrintWriter err) {
        atMostOperands(options, 0);
        int port = options.number("ib-port", ALL_PORTS, 1, Integer.MAX_VALUE);
        List<Device> devices = host.get().devices();
        if (options.has("list")) {
            printNames(devices, options.has(Option.JSON.name()), out);
            return 0;
        }
        String wanted = options.text("ib-dev");
        if (wanted != null) {
            devices = devices.stream()
                    .filter(device -> device.name().equals(wanted))
                    .toList();
        }
        if (devices.isEmpty()) {
            err.println(wanted == null ? "No IB devices found" : "IB device '" + wanted + "' wasn't found");
            return NOT_FOUND;
        }
        return new Report(port, options, out, err).of(devices);
    }

    private static void printNames(List<Device> devices, boolean json, PrintWriter out) {
        if (json) {
            out.println(Json.text(devices));
            return;
        }
        out.println(devices.size() + (devices.size() == 1 ? " HCA" : " HCAs") + " found:");
        for (Device device : devices) {
            out.println("\t" + device.name());
        }
        out.println();
    }

    /** Prints the chosen devices once. */
    private record Report(int port, Options options, PrintWriter out, PrintWriter err) {
        int of(List<Device> devices) {
            int exitCode = 0;
            List<Map<String, Object>> documents = new ArrayList<>();
            for (Device device : devices) {
                exitCode |= add(device, documents);
            }
            if (json()) {
                out.println(Json.text(documents));
            }
            return exitCode;
        }

        private int add(Device device, List<Map<String, Object>> documents) {
            try (Context context = device.openToQuery()) {
                if (port > context.queryDevice().physicalPortCount()) {
                    err.println("Invalid port requested for device");
                    return NO_SUCH_PORT;
                }
                Devinfo info = new Devinfo(context, port, options.has("verbose"));
                if (json()) {
                    documents.add(info.json());
                } else {
                    info.lines().forEach(out::println);
                }
                return 0;
            } catch (RdmaException e) {
                err.println("Failed to open device");
                err.println("ibv_devinfo: " + device.name() + ": " + e.getMessage());
                return DOES_NOT_OPEN;
            }
        }

        private boolean json() {
            return options.has(Option.JSON.name());
        }
    }
}
