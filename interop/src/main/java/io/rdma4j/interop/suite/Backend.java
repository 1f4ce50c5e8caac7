// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import io.rdma4j.interop.lab.Lab;
import java.util.Locale;
import java.util.Map;

/** Transport of the packets of the rdma4j device. */
public enum Backend {
    /** A UDP socket of this machine's Linux, by native calls. */
    UDP_LINUX,
    /** A UDP socket of the JDK. */
    UDP_PORTABLE,
    /** A TAP interface on the bridge, with the IP and Ethernet layers of rdma4j. */
    TAP,
    /** A packet socket at an interface on the bridge, with the IP and Ethernet layers of rdma4j. */
    PACKET;

    /** Name in output and options. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns the device in the form of {@code DeviceSpec}. The link address must be the same in all scenarios, because
     * the guest caches it for half a minute.
     */
    String device(boolean ipv6, int mtu) {
        String both = address(false) + "/24," + address(true) + "/64,mac=02:00:00:77:00:0" + ordinal();
        return switch (this) {
            case UDP_LINUX, UDP_PORTABLE -> "rxe0=udp:" + (ipv6 ? "[" + address(true) + "]" : address(false));
            case TAP -> "rxe0=tap:own0," + both + ",mtu=" + mtu;
            case PACKET -> "rxe0=packet:own1," + both;
        };
    }

    /** The address of the rdma4j device. */
    String address(boolean ipv6) {
        return switch (this) {
            case UDP_LINUX, UDP_PORTABLE -> ipv6 ? Lab.HOST_IP6 : Lab.HOST_IP4;
            case TAP -> ipv6 ? "fd77::3" : "10.77.0.3";
            case PACKET -> ipv6 ? "fd77::4" : "10.77.0.4";
        };
    }

    /** Slot of that address in the GID table. */
    int gidIndex(boolean ipv6) {
        boolean one = this == UDP_LINUX || this == UDP_PORTABLE;
        return one || !ipv6 ? 0 : 1;
    }

    Map<String, String> environment() {
        return switch (this) {
            case UDP_LINUX -> Map.of("RDMA4J_UDP", "linux");
            case UDP_PORTABLE -> Map.of("RDMA4J_UDP", "portable");
            case TAP, PACKET -> Map.of();
        };
    }
}
