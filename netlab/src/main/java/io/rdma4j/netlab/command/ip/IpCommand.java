// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ip;

import io.rdma4j.base.RdmaException;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.UsageException;
import java.util.ArrayList;
import java.util.List;

/** {@code ip}: links, addresses, neighbours, routes and namespaces, with the syntax and output of iproute2. */
public final class IpCommand implements ShellCommand {
    /** Exit code for an error of the machine, as in iproute2. */
    private static final int REFUSED = 2;

    /** In the order in which abbreviations are matched. */
    private static final List<IpObject> OBJECTS =
            List.of(new IpAddress(), new IpRoute(), new IpNeighbour(), new IpLink(), new IpNetns());

    @Override
    public String name() {
        return "ip";
    }

    @Override
    public String usage() {
        return """
            ip [-j] [-d] [-s] [-br] [-4|-6] [-n NETNS] OBJECT COMMAND
            ip link {show [DEV] | add [link DEV] NAME type KIND … | set DEV CHANGE … | del DEV}
            ip addr {show [DEV] | add ADDRESS/LENGTH dev DEV | del ADDRESS/LENGTH dev DEV | flush dev DEV}
            ip neigh {show [dev DEV] | add ADDRESS lladdr MAC dev DEV | del ADDRESS dev DEV | flush dev DEV}
            ip route {show | add PREFIX [via ROUTER] [dev DEV] | del PREFIX | get ADDRESS}
            ip netns {list | add NAME | del NAME | exec NAME COMMAND … | identify}\
            """;
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        ArgumentReader arguments = new ArgumentReader(words);
        List<String> namespaces = new ArrayList<>();
        IpOptions options = IpOptions.read(arguments, namespaces::add);
        IpObject object = object(arguments);
        try {
            ShellSession there = namespaces.isEmpty() ? session : session.in(namespaces.getLast());
            return object.run(there, options, arguments);
        } catch (RdmaException e) {
            session.err().println("RTNETLINK answers: " + e.errno().text());
            session.err().println("  " + e.getMessage());
            return REFUSED;
        }
    }

    private static IpObject object(ArgumentReader words) {
        String name =
                words.keyword("Object", "", OBJECTS.stream().map(IpObject::name).toList());
        return OBJECTS.stream()
                .filter(object -> object.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new UsageException("which object?"));
    }
}
