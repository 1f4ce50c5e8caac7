// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.device;

/** Flags of a device that tools display and users may in part change ({@code IFF_*} of {@code net_device_flags}). */
public enum DeviceFlag {
    /** The device was brought up. */
    UP(0x1),
    /** The link supports broadcast frames. */
    BROADCAST(0x2),
    /** Debug output of the driver is on. */
    DEBUG(0x4),
    /** Loopback device: it receives what it sends. */
    LOOPBACK(0x8),
    /** The link has exactly one other station. */
    POINTOPOINT(0x10),
    /** The device is up and operational. */
    RUNNING(0x40),
    /** No address resolution: the link has no addresses, or they are known. */
    NOARP(0x80),
    /** A user has requested all frames, regardless of their destination. */
    PROMISC(0x100),
    /** A user has requested all multicast frames. */
    ALLMULTI(0x200),
    /** The device has ports, as a bond. */
    MASTER(0x400),
    /** The device is a port of another one. */
    SLAVE(0x800),
    /** The link supports multicast frames. */
    MULTICAST(0x1000),
    /** The addresses are lost when the device goes down. */
    DYNAMIC(0x8000),
    /** The carrier of the link is present. */
    LOWER_UP(0x1_0000),
    /** The driver waits for an external event before the link carries packets. */
    DORMANT(0x2_0000);

    private final int mask;

    DeviceFlag(int mask) {
        this.mask = mask;
    }

    /** {@return the Linux bit} */
    public int mask() {
        return mask;
    }

    /**
     * {@return flags in the format of {@code ifconfig}: {@code 4610<BROADCAST,ALLMULTI,MULTICAST>}}
     *
     * @param flags bits of {@code IFF_*}
     */
    public static String text(int flags) {
        StringBuilder names = new StringBuilder();
        for (DeviceFlag flag : values()) {
            if ((flags & flag.mask) != 0) {
                names.append(names.isEmpty() ? "" : ",").append(flag);
            }
        }
        return Integer.toUnsignedString(flags) + "<" + names + ">";
    }
}
