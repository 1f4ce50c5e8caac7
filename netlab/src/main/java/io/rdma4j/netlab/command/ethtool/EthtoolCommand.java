// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ethtool;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ethtool.DriverInfo;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** {@code ethtool}: shows and changes settings, features, rings and queues of a device. */
public final class EthtoolCommand implements ShellCommand {
    /** Exit code if the driver has no statistics, as in ethtool. */
    private static final int NO_STATISTICS = 94;

    @Override
    public String name() {
        return "ethtool";
    }

    @Override
    public String usage() {
        return """
            ethtool [--json] DEV
            ethtool -s DEV [speed N] [duplex half|full] [autoneg on|off]
            ethtool [--json] -k DEV
            ethtool -K DEV {FEATURE on|off} …
            ethtool [--json] -S DEV
            ethtool -i DEV
            ethtool {-g | -l | -x | -a} DEV
            ethtool -G DEV [rx N] [tx N]
            ethtool -L DEV [rx N] [tx N]
            ethtool -X DEV equal N\
            """;
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        ArgumentReader arguments = new ArgumentReader(words);
        boolean json = arguments.take("--json", "-j");
        String what = arguments.peek().startsWith("-") ? arguments.next("what to show") : "";
        NetDevice device = session.device(arguments.next("a device"));
        if (what.equals("-K")) {
            return EthtoolFeatures.change(session, device, arguments);
        }
        if (what.equals("-s")) {
            return EthtoolSettings.change(session, device, arguments);
        }
        if (EthtoolQueues.CHANGES.contains(what)) {
            return EthtoolQueues.change(session, device, what, arguments);
        }
        arguments.end();
        return switch (what) {
            case "" -> EthtoolSettings.show(session, device, json);
            case "-k", "--show-features", "--show-offload" -> EthtoolFeatures.show(session, device, json);
            case "-S", "--statistics" -> statistics(session, device, json);
            case "-i", "--driver" -> driver(session, device);
            default -> EthtoolQueues.show(session, device, what);
        };
    }

    private static int statistics(ShellSession session, NetDevice device, boolean json) {
        SequencedMap<String, Long> counters = new LinkedHashMap<>();
        try {
            counters.putAll(device.ethtool().statistics());
        } catch (RdmaException e) {
            if (e.errno() != Errno.EOPNOTSUPP) {
                throw e;
            }
        }
        if (counters.isEmpty()) {
            session.err().println("no stats available");
            return NO_STATISTICS;
        }
        if (json) {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("ifname", device.name());
            members.putAll(counters);
            session.out().println(Json.text(List.of(members)));
        } else {
            session.out().println("NIC statistics:");
            counters.forEach((name, value) -> session.out().println("     " + name + ": " + value));
        }
        return 0;
    }

    private static int driver(ShellSession session, NetDevice device) {
        DriverInfo info = device.ethtool().driverInfo();
        session.out().println("driver: " + info.driver());
        session.out().println("version: " + info.version());
        session.out().println("bus-info: " + info.busInfo());
        return 0;
    }
}
