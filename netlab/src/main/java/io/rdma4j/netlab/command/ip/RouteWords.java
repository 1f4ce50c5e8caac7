// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ip;

import io.rdma4j.base.Gid;
import io.rdma4j.ip.route.Route;
import io.rdma4j.ip.route.RouteOrigin;
import io.rdma4j.ip.route.RouteType;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.IpPrefix;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.UsageException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Parses the route of {@code ip route add}: {@code [TYPE] PREFIX [via ROUTER] [dev DEV] [src ADDRESS] [metric N] [mtu
 * [lock] N]}.
 */
final class RouteWords {
    private RouteType type = RouteType.UNICAST;
    private @Nullable IpPrefix destination;
    private @Nullable Gid gateway;
    private @Nullable NetDevice device;
    private @Nullable Gid source;
    private int metric;
    private int mtu;
    private boolean mtuLocked;

    private RouteWords() {}

    /**
     * Reads all words.
     *
     * @throws UsageException for invalid words
     */
    static Route read(ShellSession session, IpOptions options, ArgumentReader words) {
        RouteWords read = new RouteWords();
        while (words.hasNext()) {
            read.one(words.next("a word"), session, options, words);
        }
        if (read.destination == null) {
            throw new UsageException("Command line is not complete: a prefix is missing");
        }
        return new Route(
                read.destination,
                read.type,
                read.device,
                read.gateway,
                read.metric,
                read.source,
                read.mtu,
                read.mtuLocked,
                RouteOrigin.STATIC);
    }

    private void one(String word, ShellSession session, IpOptions options, ArgumentReader words) {
        switch (word) {
            case "unicast", "blackhole", "unreachable", "prohibit" ->
                type = RouteType.valueOf(word.toUpperCase(Locale.ROOT));
            case "via" -> gateway = Gid.parse(words.next("an address"));
            case "dev" -> device = session.device(words.next("a device"));
            case "src" -> source = Gid.parse(words.next("an address"));
            case "metric", "preference", "priority" -> metric = words.count(word);
            case "mtu" -> {
                mtuLocked = words.take("lock");
                mtu = words.count(word);
            }
            case "to" -> destination = prefix(words.next("a prefix"), options);
            default -> {
                if (destination != null) {
                    throw ArgumentReader.garbage(word);
                }
                destination = prefix(word, options);
            }
        }
    }

    private static IpPrefix prefix(String word, IpOptions options) {
        if (word.equals("default")) {
            return options.ipv4() == null || options.ipv4() ? IpPrefix.ALL_IPV4 : IpPrefix.ALL_IPV6;
        }
        return IpPrefix.parse(word);
    }
}
