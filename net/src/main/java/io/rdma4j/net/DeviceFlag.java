package io.rdma4j.net;

/** What tools show of a device, and users may in part change ({@code IFF_*} of {@code net_device_flags}). */
public enum DeviceFlag {
    /** It was brought up. */
    UP(0x1),
    /** A frame may go to all stations of its link. */
    BROADCAST(0x2),
    /** Its driver is to tell more. */
    DEBUG(0x4),
    /** What it sends, it receives. */
    LOOPBACK(0x8),
    /** There is one station at the other end, and none else. */
    POINTOPOINT(0x10),
    /** Up, and its link works. */
    RUNNING(0x40),
    /** Addresses of stations are not asked for: the link has none, or they are known. */
    NOARP(0x80),
    /** Somebody wants all frames, whomever they are for. */
    PROMISC(0x100),
    /** Somebody wants the frames to all groups. */
    ALLMULTI(0x200),
    /** Other devices are its slaves. */
    MASTER(0x400),
    /** It is another device's slave. */
    SLAVE(0x800),
    /** A frame may go to a group. */
    MULTICAST(0x1000),
    /** Its addresses are lost when it goes down. */
    DYNAMIC(0x8000),
    /** The link below has a carrier. */
    LOWER_UP(0x1_0000),
    /** The link waits for something outside before it carries packets. */
    DORMANT(0x2_0000);

    private final int mask;

    DeviceFlag(int mask) {
        this.mask = mask;
    }

    /** {@return Linux's bit} */
    public int mask() {
        return mask;
    }

    /**
     * {@return flags as {@code ifconfig} writes them: {@code 4610<BROADCAST,ALLMULTI,MULTICAST>}}
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
