// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists the network interfaces of the operating system and their addresses. */
final class HostInterfaces {
    private static final String DEVICE_PREFIX = "rxe_";

    /** Directory with one entry per interface; exists on Linux only. */
    private static final Path DESCRIPTIONS = Path.of("/sys/class/net");

    private static final int MAC_BYTES = 6;

    private HostInterfaces() {}

    /** Returns one device for each interface that is up and not the loopback, with all of its addresses. */
    static List<DeviceSpec> devices() {
        List<DeviceSpec> specs = new ArrayList<>();
        for (NetworkInterface networkInterface : all()) {
            List<InetAddress> addresses = isUsable(networkInterface) ? addresses(networkInterface) : List.of();
            if (!addresses.isEmpty()) {
                specs.add(
                        new DeviceSpec(DEVICE_PREFIX + networkInterface.getName(), addresses, RxeOptions.ROCE_V2_PORT));
            }
        }
        return specs;
    }

    /**
     * Returns a device over one interface, with all of its addresses.
     *
     * @throws RdmaException ENODEV if there is no interface of this name, EPERM if it is a VLAN, EADDRNOTAVAIL if it
     *     has no address
     */
    static DeviceSpec device(String name, String netdev) {
        return device(name, netdev, DESCRIPTIONS);
    }

    /** @param descriptions has a directory for each interface, whose file {@code uevent} contains the interface type */
    static DeviceSpec device(String name, String netdev, Path descriptions) {
        for (NetworkInterface networkInterface : all()) {
            if (networkInterface.getName().equals(netdev)) {
                if (isVlan(descriptions.resolve(netdev))) {
                    throw new RdmaException(
                            Errno.EPERM,
                            netdev + " is a VLAN: devices are made over real interfaces only, as in Linux");
                }
                List<InetAddress> addresses = addresses(networkInterface);
                if (addresses.isEmpty()) {
                    throw new RdmaException(Errno.EADDRNOTAVAIL, netdev + " has no IP address");
                }
                return new DeviceSpec(name, addresses, RxeOptions.ROCE_V2_PORT);
            }
        }
        throw new RdmaException(Errno.ENODEV, "there is no network interface \"" + netdev + "\"");
    }

    /** Returns all addresses of an interface in the order of the GID table; null if there is no such interface. */
    static @Nullable List<InetAddress> addressesOf(String netdev) {
        for (NetworkInterface networkInterface : all()) {
            if (networkInterface.getName().equals(netdev)) {
                return addresses(networkInterface);
            }
        }
        // The JDK lists only interfaces that have an address.
        return Files.exists(DESCRIPTIONS.resolve(netdev)) ? List.of() : null;
    }

    /** Returns whether the interface is up and has a carrier. */
    static boolean isUp(String netdev) {
        for (NetworkInterface networkInterface : all()) {
            if (networkInterface.getName().equals(netdev)) {
                return isUp(networkInterface);
            }
        }
        try {
            return Files.readString(DESCRIPTIONS.resolve(netdev).resolve("carrier"))
                    .startsWith("1");
        } catch (IOException e) {
            // It is down, or removed.
            return false;
        }
    }

    /** Returns the interface of a device of {@link #devices}. */
    static String interfaceOf(DeviceSpec spec) {
        return spec.name().substring(DEVICE_PREFIX.length());
    }

    private static boolean isVlan(Path description) {
        try {
            return Files.readAllLines(description.resolve("uevent")).contains("DEVTYPE=vlan");
        } catch (IOException e) {
            // The system does not report the type.
            return false;
        }
    }

    private static boolean isUsable(NetworkInterface networkInterface) {
        try {
            return isUp(networkInterface) && !networkInterface.isLoopback();
        } catch (SocketException e) {
            // The interface was removed in the meantime.
            return false;
        }
    }

    private static boolean isUp(NetworkInterface networkInterface) {
        try {
            return networkInterface.isUp();
        } catch (SocketException e) {
            // The interface was removed in the meantime.
            return false;
        }
    }

    /** Returns the addresses in the order of the GID table: IPv4, then IPv6 with link-local addresses last. */
    private static List<InetAddress> addresses(NetworkInterface networkInterface) {
        return networkInterface
                .inetAddresses()
                .sorted(Comparator.comparing((InetAddress address) -> !(address instanceof Inet4Address))
                        .thenComparing(InetAddress::isLinkLocalAddress))
                .toList();
    }

    private static List<NetworkInterface> all() {
        try {
            return NetworkInterface.networkInterfaces().toList();
        } catch (SocketException e) {
            // The host has no interface; opening the loopback device then reports the error.
            return List.of();
        }
    }

    /** Returns the name of the interface that has {@code address}, or null. */
    static @Nullable String name(InetAddress address) {
        NetworkInterface networkInterface = of(address);
        return networkInterface == null ? null : networkInterface.getName();
    }

    /** Returns the index of the interface that has {@code address}, at least 1. */
    static int index(InetAddress address) {
        NetworkInterface networkInterface = of(address);
        return networkInterface == null ? 1 : Math.max(1, networkInterface.getIndex());
    }

    /** Returns 48 bits; 0 if the interface has no MAC address. */
    static long macAddress(InetAddress address) {
        NetworkInterface networkInterface = of(address);
        try {
            byte[] bytes = networkInterface == null ? null : networkInterface.getHardwareAddress();
            if (bytes == null || bytes.length != MAC_BYTES) {
                return 0;
            }
            long mac = 0;
            for (byte b : bytes) {
                mac = mac << Byte.SIZE | Byte.toUnsignedInt(b);
            }
            return mac;
        } catch (SocketException e) {
            return 0;
        }
    }

    /** Every address 127.x.y.z belongs to the loopback interface, although the system lists only the first one. */
    private static @Nullable NetworkInterface of(InetAddress address) {
        try {
            NetworkInterface found = NetworkInterface.getByInetAddress(address);
            return found == null && address.isLoopbackAddress()
                    ? NetworkInterface.getByInetAddress(LoopbackAddresses.first())
                    : found;
        } catch (SocketException e) {
            return null;
        }
    }
}
