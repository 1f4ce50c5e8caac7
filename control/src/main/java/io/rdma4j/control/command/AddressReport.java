package io.rdma4j.control.command;

import io.rdma4j.net.DeviceFlag;
import io.rdma4j.net.InterfaceAddress;
import io.rdma4j.net.IpPrefix;
import io.rdma4j.net.NetDevice;
import java.util.Locale;

/** An address of a device as {@code ip addr} shows it, two lines ({@code print_addrinfo}). Addresses do not age here. */
final class AddressReport {
    /** What 32 bits of a lifetime say that never ends. */
    private static final long FOREVER = 0xFFFF_FFFFL;

    /** Longer prefixes leave no address to send to all stations by. */
    private static final int LONGEST_WITH_BROADCAST = 30;

    private AddressReport() {}

    static Report of(InterfaceAddress address, NetDevice device) {
        boolean ipv4 = address.address().isIpv4();
        Report report = new Report();
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

    /** True if IPv4 sends to all stations of the link by an address of its own. */
    static boolean hasBroadcast(InterfaceAddress address, NetDevice device) {
        return address.address().isIpv4()
                && address.prefixLength() <= LONGEST_WITH_BROADCAST
                && device.flags().has(DeviceFlag.BROADCAST);
    }

    /** That address. */
    static String broadcast(InterfaceAddress address) {
        return IpPrefix.of(address.network().last()).text();
    }
}
