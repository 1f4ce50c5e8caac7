// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.files;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.UsageException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** {@code udevadm info}: shows the path and the properties of a network device. */
public final class UdevadmCommand implements ShellCommand {
    private static final String SYS = "/sys";
    private static final String CLASS = "/class/net/";

    @Override
    public String name() {
        return "udevadm";
    }

    @Override
    public String usage() {
        return "udevadm info [-q all|path|property] -p PATH";
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        ArgumentReader arguments = new ArgumentReader(words);
        arguments.expect("info");
        String query = "all";
        String path = "";
        while (arguments.hasNext()) {
            if (arguments.take("-q")) {
                query = arguments.next("what to ask for");
            } else if (arguments.take("-p")) {
                path = arguments.next("a path");
            } else {
                throw arguments.unknown();
            }
        }
        print(session, query, find(session, path.startsWith(SYS + "/") ? path.substring(SYS.length()) : path));
        return 0;
    }

    private static NetDevice find(ShellSession session, String path) {
        for (NetDevice device : session.namespace().devices()) {
            if (path.equals(CLASS + device.name()) || path.equals(devicePath(device))) {
                return device;
            }
        }
        throw new RdmaException(Errno.ENODEV, "there is no device of path \"" + path + "\"");
    }

    private static String devicePath(NetDevice device) {
        return device.node().path().substring(SYS.length());
    }

    private static void print(ShellSession session, String query, NetDevice device) {
        String path = devicePath(device);
        switch (query) {
            case "path" -> session.out().println(path);
            case "property" ->
                properties(session, device)
                        .forEach((key, value) -> session.out().println(key + "=" + value));
            case "all" -> {
                session.out().println("P: " + path);
                properties(session, device)
                        .forEach((key, value) -> session.out().println("E: " + key + "=" + value));
            }
            default -> throw new UsageException("-q " + query + " is none of all, path, property");
        }
    }

    /** Sorted by name. */
    private static Map<String, String> properties(ShellSession session, NetDevice device) {
        Map<String, String> properties = new TreeMap<>();
        properties.put("DEVPATH", devicePath(device));
        properties.put("SUBSYSTEM", "net");
        session.namespace()
                .attributes()
                .read(device.node().path() + "/uevent")
                .lines()
                .forEach(line ->
                        properties.put(line.substring(0, line.indexOf('=')), line.substring(line.indexOf('=') + 1)));
        return properties;
    }
}
