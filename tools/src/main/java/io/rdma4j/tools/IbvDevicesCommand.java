// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import io.rdma4j.base.Guid;
import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/** {@code ibv_devices}: lists the devices of this machine and their GUIDs, as the program of that name in rdma-core. */
final class IbvDevicesCommand extends GetoptCommand {
    private static final int FAILED = 1;

    private final Supplier<Host> host;

    IbvDevicesCommand(Supplier<Host> host) {
        super("ibv_devices", FAILED, Option.JSON);
        this.host = host;
    }

    @Override
    protected String synopsis() {
        return "Usage: ibv_devices [--json]      list the RDMA devices";
    }

    @Override
    protected int run(Options options, PrintWriter out, PrintWriter err) {
        atMostOperands(options, 0);
        List<Device> devices = host.get().devices();
        if (options.has(Option.JSON.name())) {
            out.println(Json.text(devices.stream().map(IbvDevicesCommand::json).toList()));
            return 0;
        }
        printRow(out, "device", "   node GUID");
        printRow(out, "------", "----------------");
        for (Device device : devices) {
            printRow(out, device.name(), String.format("%016x", device.guid()));
        }
        return 0;
    }

    private static void printRow(PrintWriter out, String name, String guid) {
        out.println(String.format(Locale.ROOT, "    %-16s\t%s", name, guid));
    }

    private static Map<String, Object> json(Device device) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("device", device.name());
        members.put("node_guid", Guid.toString(device.guid()));
        return members;
    }
}
