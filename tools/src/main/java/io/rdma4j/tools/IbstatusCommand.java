// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.device.SysfsFiles;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** {@code ibstatus}: a paragraph for each port, as the script of that name in infiniband-diags. */
final class IbstatusCommand extends GetoptCommand {
    private static final int FAILED = 255;

    private final Supplier<Host> host;

    IbstatusCommand(Supplier<Host> host) {
        super("ibstatus", FAILED);
        this.host = host;
    }

    @Override
    protected String synopsis() {
        return "Usage: ibstatus [<device>[:<port>]] ...      a paragraph for each port";
    }

    @Override
    protected int run(Options options, PrintWriter out, PrintWriter err) {
        List<String> wanted = options.operands();
        boolean isFound = false;
        for (Device device : host.get().devices()) {
            try (Context context = device.openToQuery()) {
                int count = context.queryDevice().physicalPortCount();
                for (int port = 1; port <= count; port++) {
                    if (wanted.isEmpty()
                            || wanted.contains(device.name())
                            || wanted.contains(device.name() + ":" + port)) {
                        print(context, port, out);
                        isFound = true;
                    }
                }
            }
        }
        if (!isFound) {
            err.println("Fatal error: "
                    + (wanted.isEmpty() ? "no IB devices" : "device '" + wanted.getFirst() + "': sys files not found"));
            return FAILED;
        }
        return 0;
    }

    private static void print(Context context, int port, PrintWriter out) {
        Map<String, String> files = SysfsFiles.port(context.queryPort(port));
        out.println("Infiniband device '" + context.device().name() + "' port " + port + " status:");
        out.println("\tdefault gid:\t " + SysfsFiles.gid(context.queryGid(port, 0)));
        out.println("\tbase lid:\t " + files.get("lid"));
        out.println("\tsm lid:\t\t " + files.get("sm_lid"));
        out.println("\tstate:\t\t " + files.get("state"));
        out.println("\tphys state:\t " + files.get("phys_state"));
        out.println("\trate:\t\t " + files.get("rate"));
        out.println("\tlink_layer:\t " + files.get("link_layer"));
        out.println();
    }
}
