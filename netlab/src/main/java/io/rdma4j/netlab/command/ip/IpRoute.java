// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.route.Route;
import io.rdma4j.ip.route.RouteOrigin;
import io.rdma4j.ip.route.RouteTable;
import io.rdma4j.ip.route.RouteType;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.IpPrefix;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.CommandReport;
import io.rdma4j.netlab.command.shell.ShellSession;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code ip route}: shows and changes the routes of the session's namespace. */
final class IpRoute implements IpObject {
    @Override
    public String name() {
        return "route";
    }

    @Override
    public int run(ShellSession session, IpOptions options, ArgumentReader words) {
        String command =
                words.keyword("Command", "show", List.of("add", "delete", "show", "list", "lst", "get", "replace"));
        RouteTable routes = session.machine().stack(session.namespace()).routes();
        switch (command) {
            case "add" -> routes.add(RouteWords.read(session, options, words));
            case "replace" -> replace(routes, RouteWords.read(session, options, words));
            case "delete" -> {
                Route route = RouteWords.read(session, options, words);
                routes.remove(route.destination(), route.metric());
            }
            case "get" -> get(session, options, words, routes);
            default -> show(session, options, words, routes);
        }
        return 0;
    }

    private static void replace(RouteTable routes, Route route) {
        boolean known = routes.list().stream()
                .anyMatch(other -> other.origin() == RouteOrigin.STATIC
                        && other.metric() == route.metric()
                        && other.destination().equals(route.destination()));
        if (known) {
            routes.remove(route.destination(), route.metric());
        }
        routes.add(route);
    }

    /**
     * Shows the main table, of IPv4 unless an option selects IPv6. {@code table local} shows the local table, and
     * {@code table all} shows both.
     */
    private static void show(ShellSession session, IpOptions options, ArgumentReader words, RouteTable routes) {
        String table = words.take("table") ? words.next("a table") : "main";
        NetDevice device = words.take("dev") ? session.device(words.next("a device")) : null;
        words.end();
        boolean ipv4 = options.ipv4() == null || options.ipv4();
        CommandReport.print(
                routes.list().stream()
                        .filter(route -> route.destination().network().isIpv4() == ipv4)
                        .filter(route -> device == null || device.equals(route.device()))
                        .filter(route -> table.equals("all") || table.equals(tableOf(route)))
                        .map(IpRoute::report)
                        .toList(),
                options.json(),
                session.out());
    }

    /** Routes to the host itself, including all kernel routes of the loopback interface, belong to the local table. */
    private static String tableOf(Route route) {
        NetDevice device = route.device();
        if (device != null
                && route.origin() == RouteOrigin.KERNEL
                && device.flags().has(DeviceFlag.LOOPBACK)) {
            return "local";
        }
        return switch (route.type()) {
            case LOCAL, BROADCAST, MULTICAST -> "local";
            default -> "main";
        };
    }

    private static CommandReport report(Route route) {
        CommandReport report = new CommandReport();
        if (route.type() != RouteType.UNICAST) {
            report.add("", "type", route.type().name().toLowerCase(Locale.ROOT)).text(" ");
        }
        IpPrefix to = route.destination();
        report.add("", "dst", to.length() == 0 ? "default" : to.isSingle() ? to.text() : to.toString());
        way(report, route);
        if (route.origin() == RouteOrigin.KERNEL) {
            report.add(" proto ", "protocol", "kernel");
        }
        if (route.device() != null && route.gateway() == null) {
            report.add(" scope ", "scope", route.type() == RouteType.LOCAL ? "host" : "link");
        }
        if (route.source() != null) {
            report.add(" src ", "prefsrc", IpPrefix.of(route.source()).text());
        }
        if (route.metric() != 0) {
            report.add(" metric ", "metric", route.metric());
        }
        if (route.mtu() != 0) {
            report.add(route.mtuLocked() ? " mtu lock " : " mtu ", "mtu", route.mtu());
        }
        return flags(report.text(" "), route);
    }

    private static void way(CommandReport report, Route route) {
        if (route.gateway() != null) {
            report.add(" via ", "gateway", IpPrefix.of(route.gateway()).text());
        }
        if (route.device() != null) {
            report.add(" dev ", "dev", route.device().name());
        }
    }

    private static CommandReport flags(CommandReport report, Route route) {
        if (!route.isUsable()) {
            return report.text("linkdown ").json("flags", List.of("linkdown"));
        }
        return report.json("flags", List.of());
    }

    /** Shows the route of a packet to an address. */
    private static void get(ShellSession session, IpOptions options, ArgumentReader words, RouteTable routes) {
        words.take("to");
        Gid to = Gid.parse(words.next("an address"));
        NetDevice over = words.take("oif", "dev") ? session.device(words.next("a device")) : null;
        words.end();
        Route found = routes.lookup(to.prefix(), to.interfaceId(), over);
        Errno error = found == null ? Errno.ENETUNREACH : found.type().error();
        if (found == null || error != null) {
            throw new RdmaException(error == null ? Errno.ENETUNREACH : error, "no way to " + to);
        }
        CommandReport report = new CommandReport();
        if (found.type() != RouteType.UNICAST) {
            report.add("", "type", found.type().name().toLowerCase(Locale.ROOT)).text(" ");
        }
        report.add("", "dst", IpPrefix.of(to).text());
        way(report, found);
        Gid source = source(found);
        if (source != null) {
            report.add(" src ", "prefsrc", IpPrefix.of(source).text());
        }
        CommandReport.print(List.of(report.text(" ")), options.json(), session.out());
    }

    private static @Nullable Gid source(Route route) {
        NetDevice device = route.device();
        if (route.source() != null || device == null) {
            return route.source();
        }
        return device.addresses().stream()
                .filter(address ->
                        address.isIpv4() == route.destination().network().isIpv4())
                .findFirst()
                .orElse(null);
    }
}
