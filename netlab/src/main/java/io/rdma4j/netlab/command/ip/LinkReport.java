// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ip;

import io.rdma4j.net.LinkStats64;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.OperState;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.net.address.IpPrefix;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.device.RegistrationState;
import io.rdma4j.net.ns.NetNamespace;
import io.rdma4j.netlab.command.shell.CommandReport;
import io.rdma4j.netlab.command.shell.ShellSession;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Formats a device as {@code ip link} and {@code ip addr} do ({@code print_linkinfo}, {@code print_addrinfo}). */
final class LinkReport {
    /** In the order of iproute2. RUNNING is not shown; its absence is shown as NO-CARRIER. */
    private static final List<DeviceFlag> SHOWN = List.of(
            DeviceFlag.LOOPBACK,
            DeviceFlag.BROADCAST,
            DeviceFlag.POINTOPOINT,
            DeviceFlag.MULTICAST,
            DeviceFlag.NOARP,
            DeviceFlag.ALLMULTI,
            DeviceFlag.PROMISC,
            DeviceFlag.MASTER,
            DeviceFlag.SLAVE,
            DeviceFlag.DEBUG,
            DeviceFlag.DYNAMIC,
            DeviceFlag.UP,
            DeviceFlag.LOWER_UP,
            DeviceFlag.DORMANT);

    private final NetDevice device;
    private final IpOptions options;
    private final CommandReport report = new CommandReport();

    LinkReport(NetDevice device, IpOptions options) {
        this.device = device;
        this.options = options;
    }

    /** Formats the device for {@code ip link}. */
    CommandReport ofLink(ShellSession session) {
        if (options.brief()) {
            return brief().add("", "address", padded(address(device.macAddress()), 17))
                    .text(" <" + String.join(",", flags()) + "> ")
                    .json("flags", flags());
        }
        firstLine();
        report.add(" mode ", "linkmode", device.linkState().linkMode());
        return rest(session);
    }

    /** Formats the device with its addresses for {@code ip addr}. */
    CommandReport ofAddresses(ShellSession session) {
        List<InterfaceAddress> shown = device.ip().list().stream()
                .filter(address -> options.means(address.address()))
                .toList();
        if (options.brief()) {
            return brief().text(String.join(
                            " ", shown.stream().map(InterfaceAddress::toString).toList()))
                    .json("addr_info", shown.stream().map(LinkReport::brief).toList());
        }
        firstLine();
        rest(session);
        List<CommandReport> addresses =
                shown.stream().map(address -> AddressReport.of(address, device)).toList();
        addresses.forEach(address -> report.text("\n").text(address.text()));
        return report.json(
                "addr_info", addresses.stream().map(CommandReport::members).toList());
    }

    private CommandReport brief() {
        report.json("ifname", device.name()).text(padded(nameAtLink(), 16) + " ");
        return report.json("operstate", state()).text(padded(state(), 14) + " ");
    }

    private static Map<String, Object> brief(InterfaceAddress address) {
        return new CommandReport()
                .json("local", IpPrefix.of(address.address()).text())
                .json("prefixlen", address.prefixLength())
                .members();
    }

    private static String padded(String text, int width) {
        return String.format("%-" + width + "s", text);
    }

    // The link

    private void firstLine() {
        report.add("", "ifindex", device.ifindex()).text(": ").text(nameAtLink());
        NetDevice lower = device.stack().lower();
        if (lower != null) {
            if (isHere(lower)) {
                report.json("link", lower.name());
            } else {
                report.json("link_index", lower.ifindex());
            }
        }
        report.json("ifname", device.name());
        report.text(": <" + String.join(",", flags()) + ">").json("flags", flags());
        report.add(" mtu ", "mtu", device.mtu()).add(" qdisc ", "qdisc", qdisc());
        NetDevice master = device.stack().master();
        if (master != null) {
            report.add(" master ", "master", master.name());
        }
        report.add(" state ", "operstate", state());
    }

    private CommandReport rest(ShellSession session) {
        int group = device.node().group();
        report.add(" group ", "group", group == 0 ? "default" : String.valueOf(group));
        int queue = device.transmitQueues().length();
        if (queue != 0) {
            report.add(" qlen ", "txqlen", queue);
        }
        addresses();
        linkNamespace(session);
        if (options.details()) {
            details();
        }
        if (!device.node().alias().isEmpty()) {
            report.add("\n    alias ", "ifalias", device.node().alias());
        }
        if (options.statistics()) {
            StatisticsReport.add(LinkStats64.of(device), report);
        }
        return report;
    }

    private void addresses() {
        report.add("\n    link/", "link_type", linkType());
        if (!linkType().equals("none")) {
            report.add(" ", "address", address(device.macAddress())).add(" brd ", "broadcast", address(broadcast()));
        }
    }

    private long broadcast() {
        return device.linkType().hasAddresses() ? device.link().broadcast() : 0;
    }

    private String address(long mac) {
        return device.link().format().toString(mac);
    }

    private String linkType() {
        if (device.flags().has(DeviceFlag.LOOPBACK)) {
            return "loopback";
        }
        return switch (device.linkType()) {
            case ETHERNET -> "ether";
            case INFINIBAND -> "infiniband";
            case IP -> "none";
        };
    }

    private void linkNamespace(ShellSession session) {
        NetDevice lower = device.stack().lower();
        if (lower != null && lower.registration().state() == RegistrationState.REGISTERED && !isHere(lower)) {
            session.nameOf(NetNamespace.of(lower)).ifPresent(name -> report.add(" link-netns ", "link_netns", name));
        }
    }

    private void details() {
        report.add(" promiscuity ", "promiscuity", device.link().promiscuity());
        report.add(" minmtu ", "min_mtu", NetDeviceSetup.MIN_MTU);
        if (!device.node().kind().isEmpty()) {
            report.text("\n    " + device.node().kind())
                    .json("linkinfo", Map.of("info_kind", device.node().kind()));
        }
        report.add(" numtxqueues ", "num_tx_queues", device.transmitQueues().count());
        report.add(" numrxqueues ", "num_rx_queues", device.receiveQueues().count());
        report.add(" gso_max_size ", "gso_max_size", device.features().gsoMaxSize());
    }

    /** {@code eth0.5@eth0}; for a lower device in another namespace, its number replaces its name. */
    private String nameAtLink() {
        NetDevice lower = device.stack().lower();
        if (lower == null) {
            return device.name();
        }
        return device.name() + "@" + (isHere(lower) ? lower.name() : "if" + lower.ifindex());
    }

    @SuppressWarnings("ReferenceEquality") // identity is intended
    private boolean isHere(NetDevice other) {
        return other.registration().state() == RegistrationState.REGISTERED
                && NetNamespace.of(other) == NetNamespace.of(device);
    }

    private List<String> flags() {
        int flags = device.flags().get();
        List<String> names = new ArrayList<>();
        if (device.isUp() && (flags & DeviceFlag.RUNNING.mask()) == 0) {
            names.add("NO-CARRIER");
        }
        SHOWN.stream().filter(flag -> (flags & flag.mask()) != 0).forEach(flag -> names.add(flag.name()));
        NetDevice lower = device.stack().lower();
        if (lower != null && !lower.isUp()) {
            names.add("M-DOWN");
        }
        return names;
    }

    /** Kind of the first transmit queue's qdisc; {@code mq} for several queues with qdiscs. */
    private String qdisc() {
        String kind = device.transmitQueues().queue(0).qdiscKind();
        return device.transmitQueues().count() > 1 && !kind.equals("noqueue") ? "mq" : kind;
    }

    private String state() {
        OperState state = device.isUp() ? device.linkState().operState() : OperState.DOWN;
        return state.name().replace("_", "");
    }
}
