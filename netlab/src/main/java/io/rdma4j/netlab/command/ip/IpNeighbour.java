// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.IpInterface;
import io.rdma4j.ip.IpStack;
import io.rdma4j.ip.neighbour.Neighbour;
import io.rdma4j.ip.neighbour.NeighbourState;
import io.rdma4j.ip.neighbour.NeighbourTable;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.IpPrefix;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.CommandReport;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.UsageException;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code ip neigh}: shows and changes the neighbour tables of devices. */
final class IpNeighbour implements IpObject {
    private static final List<String> COMMANDS =
            List.of("add", "change", "replace", "delete", "show", "list", "lst", "flush");

    /** Arguments of {@code add} and {@code del}. */
    private record Asked(Gid address, @Nullable String mac, NetDevice device) {}

    @Override
    public String name() {
        return "neighbour";
    }

    @Override
    public int run(ShellSession session, IpOptions options, ArgumentReader words) {
        String command = words.keyword("Command", "show", COMMANDS);
        switch (command) {
            case "add", "change", "replace" -> add(session, command, read(session, words));
            case "delete" -> delete(session, read(session, words));
            case "flush" -> flush(session, options, words);
            default -> show(session, options, words);
        }
        return 0;
    }

    private static Asked read(ShellSession session, ArgumentReader words) {
        Gid address = null;
        String mac = null;
        NetDevice device = null;
        while (words.hasNext()) {
            if (words.take("dev")) {
                device = session.device(words.next("a device"));
            } else if (words.take("lladdr")) {
                mac = words.next("an address");
            } else if (words.take("nud")) {
                permanent(words.next("a state"));
            } else {
                words.take("to");
                address = Gid.parse(words.next("an address"));
            }
        }
        if (address == null || device == null) {
            throw new UsageException("Device and destination are required arguments.");
        }
        return new Asked(address, mac, device);
    }

    /** Only permanent entries can be added; other states result from received packets. */
    private static void permanent(String state) {
        if (!state.equals("permanent")) {
            throw ArgumentReader.wrong(state, "nud state is bad: only \"permanent\" can be made by hand");
        }
    }

    private static NeighbourTable table(ShellSession session, NetDevice device) {
        IpStack stack = session.machine().stack(session.namespace());
        IpInterface found = stack.interfaceOf(device);
        if (found == null) {
            throw new RdmaException(Errno.ENODEV, device.name() + " speaks no IP");
        }
        return found.neighbours();
    }

    private static void add(ShellSession session, String command, Asked asked) {
        if (asked.mac == null) {
            throw new UsageException("\"lladdr MAC\" is required.");
        }
        long mac = MacAddress.parse(asked.mac);
        session.change(() -> {
            NeighbourTable table = table(session, asked.device);
            boolean known = table.find(asked.address) != null;
            if (known && command.equals("add")) {
                throw new RdmaException(Errno.EEXIST, "there is a neighbour " + asked.address);
            }
            if (!known && command.equals("change")) {
                throw new RdmaException(Errno.ENOENT, "there is no neighbour " + asked.address);
            }
            table.add(asked.address, mac);
        });
    }

    private static void delete(ShellSession session, Asked asked) {
        session.change(() -> {
            NeighbourTable table = table(session, asked.device);
            if (table.find(asked.address) == null) {
                throw new RdmaException(Errno.ENOENT, "there is no neighbour " + asked.address);
            }
            table.remove(asked.address);
        });
    }

    /** As in Linux, removes all entries except permanent ones. */
    private static void flush(ShellSession session, IpOptions options, ArgumentReader words) {
        if (!words.hasNext()) {
            throw new UsageException("Flush requires arguments.");
        }
        for (NetDevice device : devices(session, words)) {
            session.change(() -> {
                NeighbourTable table = table(session, device);
                table.list().stream()
                        .filter(neighbour -> neighbour.state() != NeighbourState.PERMANENT)
                        .filter(neighbour -> options.means(neighbour.address()))
                        .forEach(neighbour -> table.remove(neighbour.address()));
            });
        }
    }

    private static List<NetDevice> devices(ShellSession session, ArgumentReader words) {
        if (!words.hasNext() || words.take("all")) {
            words.end();
            return session.namespace().devices();
        }
        words.take("dev");
        NetDevice device = session.device(words.next("a device"));
        words.end();
        return List.of(device);
    }

    private static void show(ShellSession session, IpOptions options, ArgumentReader words) {
        List<NetDevice> devices = devices(session, words);
        List<CommandReport> reports = session.look(() -> devices.stream()
                .flatMap(device -> table(session, device).list().stream()
                        .filter(neighbour -> options.means(neighbour.address()))
                        .sorted(Comparator.comparing(
                                neighbour -> neighbour.address().toHex()))
                        .map(neighbour -> report(neighbour, device)))
                .toList());
        CommandReport.print(reports, options.json(), session.out());
    }

    private static CommandReport report(Neighbour neighbour, NetDevice device) {
        CommandReport report = new CommandReport();
        report.add("", "dst", IpPrefix.of(neighbour.address()).text()).add(" dev ", "dev", device.name());
        if (neighbour.state().isValid()) {
            report.add(" lladdr ", "lladdr", device.link().format().toString(neighbour.mac()));
        }
        String state = neighbour.state().name();
        return report.text(" " + state + " ").json("state", List.of(state));
    }
}
