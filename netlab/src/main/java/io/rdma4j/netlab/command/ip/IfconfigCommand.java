// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ip;

import io.rdma4j.base.MacAddress;
import io.rdma4j.net.LinkStats64;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.AddressScope;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.net.address.IpPrefix;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import java.util.List;

/** {@code ifconfig}: shows devices and changes them like {@code ip link set}. */
public final class IfconfigCommand implements ShellCommand {
    /** The request of {@code ifconfig} has 16 bits for flags: LOWER_UP and higher flags are not shown. */
    private static final int SHOWN_FLAGS = 0xFFFF;

    @Override
    public String name() {
        return "ifconfig";
    }

    @Override
    public String usage() {
        return "ifconfig [-a] [DEV [up|down] [mtu N] [txqueuelen N] [[-]arp] [[-]allmulti] [[-]promisc]]";
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        ArgumentReader arguments = new ArgumentReader(words);
        boolean all = arguments.take("-a");
        if (!arguments.hasNext()) {
            session.namespace().devices().stream()
                    .filter(device -> all || device.isUp())
                    .forEach(device -> show(session, device));
            return 0;
        }
        NetDevice device = session.device(arguments.next("a device"));
        if (!arguments.hasNext()) {
            show(session, device);
        }
        while (arguments.hasNext()) {
            change(session, device, arguments);
        }
        return 0;
    }

    private static void change(ShellSession session, NetDevice device, ArgumentReader words) {
        String word = words.next("a change");
        boolean on = !word.startsWith("-");
        switch (on ? word : word.substring(1)) {
            case "up" -> flag(session, device, DeviceFlag.UP, true);
            case "down" -> flag(session, device, DeviceFlag.UP, false);
            case "arp" -> flag(session, device, DeviceFlag.NOARP, !on);
            case "allmulti" -> flag(session, device, DeviceFlag.ALLMULTI, on);
            case "promisc" -> flag(session, device, DeviceFlag.PROMISC, on);
            case "mtu" -> {
                int bytes = words.count(word);
                session.change(() -> device.setMtu(bytes));
            }
            case "txqueuelen" -> {
                int packets = words.count(word);
                session.change(() -> device.transmitQueues().length(packets));
            }
            default -> throw ArgumentReader.garbage(word);
        }
    }

    private static void flag(ShellSession session, NetDevice device, DeviceFlag flag, boolean on) {
        session.change(() -> device.flags().change(flag, on));
    }

    private static void show(ShellSession session, NetDevice device) {
        StringBuilder text = new StringBuilder();
        text.append(device.name())
                .append(": flags=")
                .append(DeviceFlag.text(device.flags().get() & SHOWN_FLAGS));
        text.append("  mtu ").append(device.mtu()).append('\n');
        device.ip().list().forEach(address -> line(text, address(address, device)));
        int queue = device.transmitQueues().length();
        if (device.flags().has(DeviceFlag.LOOPBACK)) {
            line(text, "loop  txqueuelen " + queue + "  (Local Loopback)");
        } else if (device.linkType() == LinkType.ETHERNET) {
            line(text, "ether " + MacAddress.toString(device.macAddress()) + "  txqueuelen " + queue + "  (Ethernet)");
        } else {
            line(text, "unspec  txqueuelen " + queue + "  (UNSPEC)");
        }
        LinkStats64 stats = LinkStats64.of(device);
        line(text, "RX packets " + stats.rxPackets() + "  bytes " + stats.rxBytes());
        line(text, "RX errors " + stats.rxErrors() + "  dropped " + stats.rxDropped() + "  overruns 0  frame 0");
        line(text, "TX packets " + stats.txPackets() + "  bytes " + stats.txBytes());
        line(
                text,
                "TX errors " + stats.txErrors() + "  dropped " + stats.txDropped()
                        + " overruns 0  carrier 0  collisions 0");
        session.out().println(text);
    }

    private static void line(StringBuilder text, String line) {
        text.append("        ").append(line).append('\n');
    }

    private static String address(InterfaceAddress own, NetDevice device) {
        String address = IpPrefix.of(own.address()).text();
        if (!own.address().isIpv4()) {
            return "inet6 " + address + "  prefixlen " + own.prefixLength() + "  scopeid " + scope(own.scope());
        }
        return "inet " + address + "  netmask " + netmask(own.prefixLength())
                + (AddressReport.hasBroadcast(own, device) ? "  broadcast " + AddressReport.broadcast(own) : "");
    }

    /** The kernel's number and name of the scope. */
    private static String scope(AddressScope scope) {
        return switch (scope) {
            case GLOBAL -> "0x0<global>";
            case LINK -> "0x20<link>";
            case HOST -> "0x10<host>";
        };
    }

    private static String netmask(int length) {
        long mask = length == 0 ? 0 : -1L << Integer.SIZE - length;
        return (mask >>> 24 & 0xFF) + "." + (mask >>> 16 & 0xFF) + "." + (mask >>> 8 & 0xFF) + "." + (mask & 0xFF);
    }
}
