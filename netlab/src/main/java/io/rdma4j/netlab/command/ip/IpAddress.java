// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.AddressScope;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.CommandReport;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** {@code ip addr}: shows and changes the IP addresses of devices. */
final class IpAddress implements IpObject {
    /** Arguments of {@code add}, {@code replace} and {@code del}. */
    private record Asked(InterfaceAddress address, NetDevice device) {}

    @Override
    public String name() {
        return "address";
    }

    @Override
    public int run(ShellSession session, IpOptions options, ArgumentReader words) {
        String command =
                words.keyword("Command", "show", List.of("add", "delete", "show", "list", "lst", "flush", "replace"));
        switch (command) {
            case "add" -> add(session, read(session, words));
            case "replace" -> replace(session, read(session, words));
            case "delete" -> delete(session, read(session, words));
            case "flush" -> flush(session, options, words);
            default -> show(session, options, words);
        }
        return 0;
    }

    private static void show(ShellSession session, IpOptions options, ArgumentReader words) {
        CommandReport.print(
                IpLink.shown(session, words).stream()
                        .map(device -> new LinkReport(device, options).ofAddresses(session))
                        .toList(),
                options.json(),
                session.out());
    }

    private static Asked read(ShellSession session, ArgumentReader words) {
        InterfaceAddress address = null;
        NetDevice device = null;
        while (words.hasNext()) {
            if (words.take("dev")) {
                device = session.device(words.next("a device"));
            } else if (words.take("scope") && address != null) {
                address = new InterfaceAddress(address.address(), address.prefixLength(), scope(words.next("a scope")));
            } else if (words.take("brd", "broadcast") && address != null) {
                checkBroadcast(words.next("an address"), address);
            } else {
                words.take("local");
                address = address(words.next("an address"));
            }
        }
        if (address == null) {
            throw new UsageException("\"local ADDRESS\" is required.");
        }
        if (device == null) {
            throw new UsageException("Not enough information: \"dev\" argument is required.");
        }
        return new Asked(address, device);
    }

    private static InterfaceAddress address(String word) {
        try {
            return InterfaceAddress.parse(word);
        } catch (RdmaException e) {
            throw new UsageException("Error: any valid prefix is expected rather than \"" + word + "\".");
        }
    }

    private static AddressScope scope(String word) {
        try {
            return AddressScope.valueOf(word.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw ArgumentReader.wrong(word, "invalid scope value.");
        }
    }

    /** The only valid broadcast address is the last one of the network. */
    private static void checkBroadcast(String word, InterfaceAddress address) {
        if (!word.equals("+") && !word.equals(AddressReport.broadcast(address))) {
            throw ArgumentReader.wrong(word, "the broadcast address is " + AddressReport.broadcast(address));
        }
    }

    private static boolean isSame(InterfaceAddress one, InterfaceAddress other) {
        return one.address().equals(other.address()) && one.prefixLength() == other.prefixLength();
    }

    /** As in Linux: EEXIST if the device has the address with the same prefix length. */
    private static void add(ShellSession session, Asked asked) {
        session.change(() -> {
            List<InterfaceAddress> all = new ArrayList<>(asked.device.ip().list());
            if (all.stream().anyMatch(one -> isSame(one, asked.address))) {
                throw new RdmaException(Errno.EEXIST, asked.device.name() + " has the address " + asked.address);
            }
            all.add(asked.address);
            asked.device.ip().set(all);
        });
    }

    private static void replace(ShellSession session, Asked asked) {
        session.change(() -> {
            List<InterfaceAddress> all = new ArrayList<>(asked.device.ip().list());
            all.removeIf(one -> isSame(one, asked.address));
            all.add(asked.address);
            asked.device.ip().set(all);
        });
    }

    private static void delete(ShellSession session, Asked asked) {
        session.change(() -> {
            List<InterfaceAddress> all = new ArrayList<>(asked.device.ip().list());
            if (!all.removeIf(one -> isSame(one, asked.address))) {
                throw new RdmaException(Errno.EADDRNOTAVAIL, asked.device.name() + " has no address " + asked.address);
            }
            asked.device.ip().set(all);
        });
    }

    private static void flush(ShellSession session, IpOptions options, ArgumentReader words) {
        if (!words.hasNext()) {
            throw new UsageException("Flush requires arguments.");
        }
        for (NetDevice device : IpLink.shown(session, words)) {
            session.change(() -> device.ip()
                    .set(device.ip().list().stream()
                            .filter(address -> !options.means(address.address()))
                            .toList()));
        }
    }
}
