package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a device is to be made of: {@code name=udp:ADDR[:PORT]}, where ADDR is an IP address of this host, an IPv6 address in
 * brackets, or {@code lo} for the first free loopback address.
 *
 * @param name of the device
 * @param addresses to bind, in the order of the GID table; empty for the first free loopback address
 * @param port UDP port of the device and of its peers
 */
public record DeviceSpec(String name, List<InetAddress> addresses, int port) {
    /** The word for the first free loopback address. */
    static final String LOOPBACK = "lo";

    private static final String SYNTAX = "a device is given as NAME=udp:ADDR[:PORT], for example rxe0=udp:127.0.0.2";
    private static final String UDP = "udp:";
    private static final int MAX_PORT = 0xFFFF;

    public DeviceSpec {
        addresses = List.copyOf(addresses);
    }

    /**
     * Reads a list of devices, separated by commas.
     *
     * @throws RdmaException EINVAL for anything that is no such list, or two devices of one name
     */
    public static List<DeviceSpec> parseList(String text) {
        List<DeviceSpec> specs = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (String part : text.split(",", -1)) {
            DeviceSpec spec = parse(part.strip());
            if (!names.add(spec.name())) {
                throw new RdmaException(Errno.EINVAL, "two devices are called \"" + spec.name() + "\" in " + text);
            }
            specs.add(spec);
        }
        return List.copyOf(specs);
    }

    /**
     * Reads one device.
     *
     * @throws RdmaException EINVAL for anything else
     */
    public static DeviceSpec parse(String text) {
        int equals = text.indexOf('=');
        if (equals < 1 || !text.startsWith(UDP, equals + 1)) {
            throw invalid(text, "it has no \"=udp:\"");
        }
        String where = text.substring(equals + 1 + UDP.length());
        int colon = where.lastIndexOf(':');
        boolean hasPort = colon >= 0 && colon > where.lastIndexOf(']') && where.indexOf(':') == colon
                || colon >= 0 && colon == where.lastIndexOf(']') + 1 && where.startsWith("[");
        String host = hasPort ? where.substring(0, colon) : where;
        int port = hasPort ? parsePort(text, where.substring(colon + 1)) : RxeOptions.ROCE_V2_PORT;
        return new DeviceSpec(text.substring(0, equals), parseAddress(text, host), port);
    }

    private static List<InetAddress> parseAddress(String text, String host) {
        if (host.equals(LOOPBACK)) {
            return List.of();
        }
        String literal = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        try {
            return List.of(InetAddress.ofLiteral(literal));
        } catch (IllegalArgumentException e) {
            throw invalid(text, "\"" + host + "\" is not an IP address");
        }
    }

    private static int parsePort(String text, String digits) {
        try {
            int port = Integer.parseInt(digits);
            if (port >= 1 && port <= MAX_PORT) {
                return port;
            }
        } catch (NumberFormatException e) {
            throw invalid(text, "\"" + digits + "\" is not a port number");
        }
        throw invalid(text, "port " + digits + " is not in 1.." + MAX_PORT);
    }

    private static RdmaException invalid(String text, String reason) {
        return new RdmaException(Errno.EINVAL, "device \"" + text + "\": " + reason + "; " + SYNTAX);
    }
}
