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

/** What the operating system says of its network interfaces. */
final class HostInterfaces {
    private static final String DEVICE_PREFIX = "rxe_";

    /** Where Linux describes each interface; nowhere else is there such a directory. */
    private static final Path DESCRIPTIONS = Path.of("/sys/class/net");

    private static final int MAC_BYTES = 6;

    private HostInterfaces() {}

    /** One device for each interface that is up and not the loopback, with all of its addresses. */
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
     * A device over one interface, with all of its addresses.
     *
     * @throws RdmaException ENODEV if there is no interface of this name, EPERM if it is a VLAN of another one, EADDRNOTAVAIL if it
     *     has no address
     */
    static DeviceSpec device(String name, String netdev) {
        return device(name, netdev, DESCRIPTIONS);
    }

    /** @param descriptions a directory for each interface, with a file {@code uevent} that tells its kind */
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

    private static boolean isVlan(Path description) {
        try {
            return Files.readAllLines(description.resolve("uevent")).contains("DEVTYPE=vlan");
        } catch (IOException e) {
            // The system does not say.
            return false;
        }
    }

    private static boolean isUsable(NetworkInterface networkInterface) {
        try {
            return networkInterface.isUp() && !networkInterface.isLoopback();
        } catch (SocketException e) {
            // It vanished while we looked.
            return false;
        }
    }

    /** In the order of the GID table: IPv4, then IPv6 from wide to narrow scope. */
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
            // A host without any interface; the loopback device says more when it is opened.
            return List.of();
        }
    }

    /** Name of the interface that has {@code address}, null if none has. */
    static @Nullable String name(InetAddress address) {
        NetworkInterface networkInterface = of(address);
        return networkInterface == null ? null : networkInterface.getName();
    }

    /** Index of the interface that has {@code address}, at least 1. */
    static int index(InetAddress address) {
        NetworkInterface networkInterface = of(address);
        return networkInterface == null ? 1 : Math.max(1, networkInterface.getIndex());
    }

    /** 48 bits, 0 if there is none. */
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

    /** Every address 127.x.y.z belongs to the loopback interface, though the system lists the first only. */
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
