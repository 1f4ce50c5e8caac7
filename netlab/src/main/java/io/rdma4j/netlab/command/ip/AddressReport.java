// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ip;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.net.address.IpPrefix;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.netlab.command.shell.CommandReport;
import java.util.Locale;

/**
 * Formats an address of a device as {@code ip addr} does, on two lines ({@code print_addrinfo}). Addresses have no
 * lifetime.
 */
final class AddressReport {
    /** 32-bit lifetime that never ends. */
    private static final long FOREVER = 0xFFFF_FFFFL;

    /** Longest prefix with a broadcast address. */
    private static final int LONGEST_WITH_BROADCAST = 30;

    private AddressReport() {}

    static CommandReport of(InterfaceAddress address, NetDevice device) {
        boolean ipv4 = address.address().isIpv4();
        CommandReport report = new CommandReport();
        report.add("    ", "family", ipv4 ? "inet" : "inet6");
        report.add(" ", "local", IpPrefix.of(address.address()).text());
        report.add("/", "prefixlen", address.prefixLength());
        if (hasBroadcast(address, device)) {
            report.add(" brd ", "broadcast", broadcast(address));
        }
        report.add(" scope ", "scope", address.scope().name().toLowerCase(Locale.ROOT));
        if (ipv4) {
            report.add(" ", "label", device.name());
        }
        return report.text("\n       valid_lft forever preferred_lft forever")
                .json("valid_life_time", FOREVER)
                .json("preferred_life_time", FOREVER);
    }

    /** True if the address is IPv4 and its network has a broadcast address on this device. */
    static boolean hasBroadcast(InterfaceAddress address, NetDevice device) {
        return address.address().isIpv4()
                && address.prefixLength() <= LONGEST_WITH_BROADCAST
                && device.flags().has(DeviceFlag.BROADCAST);
    }

    /** The broadcast address of an IPv4 address. */
    static String broadcast(InterfaceAddress address) {
        return IpPrefix.of(address.network().last()).text();
    }
}
