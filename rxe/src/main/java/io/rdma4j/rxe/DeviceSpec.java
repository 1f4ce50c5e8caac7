// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Specification of a device, as text:
 *
 * <ul>
 *   <li>{@code NAME=udp:ADDR[:PORT]}: a UDP socket. ADDR is an IP address of this host, an IPv6 address in brackets, or
 *       {@code lo} for the first free loopback address.
 *   <li>{@code NAME=tap:INTERFACE,ADDR/PREFIX[,ADDR/PREFIX…][,mac=MAC][,mtu=BYTES]}: a link with a TAP interface of
 *       Linux at its other end. The device has its own addresses.
 *   <li>{@code NAME=packet:INTERFACE,ADDR/PREFIX[,ADDR/PREFIX…][,mac=MAC]}: a station on the network of a Linux
 *       interface, with its own addresses.
 * </ul>
 *
 * @param name of the device
 * @param link null for a UDP socket
 * @param addresses in the order of the GID table; empty for the first free loopback address
 * @param port UDP port of the device and of its peers
 */
public record DeviceSpec(String name, @Nullable EthernetLink link, List<InetAddress> addresses, int port) {
    /** Text for the first free loopback address. */
    static final String LOOPBACK = "lo";

    private static final String SYNTAX = "a device is given as NAME=udp:ADDR[:PORT], for example rxe0=udp:127.0.0.2,"
            + " or " + EthernetLinkText.SYNTAX;
    private static final String UDP = "udp:";
    private static final int MAX_PORT = 0xFFFF;

    /** Start of the next device in a list; a part without it belongs to the device before it. */
    private static final Pattern NEXT = Pattern.compile(",(?=[^,=:]*=(?:udp|tap|packet):)");

    /** Copies the list. */
    public DeviceSpec {
        addresses = List.copyOf(addresses);
    }

    /**
     * Creates the specification of a device over a UDP socket.
     *
     * @param name of the device
     * @param addresses in the order of the GID table; empty for the first free loopback address
     * @param port UDP port of the device and of its peers
     */
    public DeviceSpec(String name, List<InetAddress> addresses, int port) {
        this(name, null, addresses, port);
    }

    /**
     * {@return the addresses with the UDP port, in the order of the GID table; 127.0.0.1 for the first free loopback
     * address}
     */
    List<InetSocketAddress> endpoints() {
        List<InetAddress> all = addresses.isEmpty() ? List.of(LoopbackAddresses.first()) : addresses;
        return all.stream().map(address -> new InetSocketAddress(address, port)).toList();
    }

    /** {@return this device at the addresses that its interface has now; if there are none, at those of before} */
    DeviceSpec at(@Nullable List<InetSocketAddress> now) {
        return now == null || now.isEmpty()
                ? this
                : new DeviceSpec(
                        name,
                        link,
                        now.stream().map(InetSocketAddress::getAddress).toList(),
                        port);
    }

    /** {@return true if it binds addresses of a network interface, so that only one process can open it} */
    boolean isExclusive() {
        return link == null && !addresses.isEmpty() && addresses.stream().noneMatch(InetAddress::isLoopbackAddress);
    }

    /**
     * Parses a list of devices, separated by commas.
     *
     * @param text such as {@code rxe0=udp:127.0.0.2,rxe1=udp:127.0.0.3}
     * @return the devices in this order
     * @throws RdmaException EINVAL for invalid text, or two devices with the same name
     */
    public static List<DeviceSpec> parseList(String text) {
        List<DeviceSpec> specs = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (String part : NEXT.split(text, -1)) {
            DeviceSpec spec = parse(part.strip());
            if (!names.add(spec.name())) {
                throw new RdmaException(Errno.EINVAL, "two devices are called \"" + spec.name() + "\" in " + text);
            }
            specs.add(spec);
        }
        return List.copyOf(specs);
    }

    /**
     * Parses one device.
     *
     * @param text such as {@code rxe0=udp:127.0.0.2}
     * @return the device
     * @throws RdmaException EINVAL for invalid text
     */
    public static DeviceSpec parse(String text) {
        int equals = text.indexOf('=');
        int colon = text.indexOf(':', equals);
        if (equals < 1 || colon < 0) {
            throw invalid(text, "it has no \"=udp:\", \"=tap:\" or \"=packet:\"");
        }
        String name = text.substring(0, equals);
        String where = text.substring(colon + 1);
        return switch (text.substring(equals + 1, colon + 1)) {
            case UDP -> parseUdp(text, name, where);
            case "tap:" -> EthernetLinkText.parse(text, name, EthernetLink.Kind.TAP, where);
            case "packet:" -> EthernetLinkText.parse(text, name, EthernetLink.Kind.PACKET, where);
            default -> throw invalid(text, "it has no \"=udp:\", \"=tap:\" or \"=packet:\"");
        };
    }

    private static DeviceSpec parseUdp(String text, String name, String where) {
        int colon = where.lastIndexOf(':');
        boolean hasPort = colon >= 0 && colon > where.lastIndexOf(']') && where.indexOf(':') == colon
                || colon >= 0 && colon == where.lastIndexOf(']') + 1 && where.startsWith("[");
        String host = hasPort ? where.substring(0, colon) : where;
        int port = hasPort ? parsePort(text, where.substring(colon + 1)) : RxeOptions.ROCE_V2_PORT;
        return new DeviceSpec(name, parseHost(text, host), port);
    }

    private static List<InetAddress> parseHost(String text, String host) {
        if (host.equals(LOOPBACK)) {
            return List.of();
        }
        return List.of(parseAddress(
                text, host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host));
    }

    static InetAddress parseAddress(String text, String literal) {
        try {
            return InetAddress.ofLiteral(literal);
        } catch (IllegalArgumentException e) {
            throw invalid(text, "\"" + literal + "\" is not an IP address");
        }
    }

    private static int parsePort(String text, String digits) {
        return parseNumber(text, "port", digits, 1, MAX_PORT);
    }

    static int parseNumber(String text, String what, String digits, int least, int most) {
        try {
            int number = Integer.parseInt(digits);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw invalid(text, "\"" + digits + "\" is no " + what);
        }
        throw invalid(text, what + " " + digits + " is not in " + least + ".." + most);
    }

    static RdmaException invalid(String text, String reason) {
        return new RdmaException(Errno.EINVAL, "device \"" + text + "\": " + reason + "; " + SYNTAX);
    }
}
