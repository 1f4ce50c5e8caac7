package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import java.util.List;
import java.util.Set;

/**
 * What a device is made with.
 *
 * @param link what its packets begin with
 * @param name as tools show it, see {@link #isValidName}
 * @param ifindex unique number on its host, from 1
 * @param mtu largest IP packet in bytes, header included, at least 68; also the most {@link NetDevice#setMtu} takes
 * @param macAddress 48 bits; 0: an IP device has none, an Ethernet device draws one by lot
 * @param addresses IP addresses of the interface; IPv4 mapped into IPv6
 * @param features what the driver can do
 */
public record NetDeviceSetup(
        LinkType link,
        String name,
        int ifindex,
        int mtu,
        long macAddress,
        List<Gid> addresses,
        Set<NetDeviceFeature> features) {
    /** {@code IFNAMSIZ} less the terminating zero. */
    static final int MAX_NAME_LENGTH = 15;

    /** RFC 791: every link carries 68 bytes. */
    static final int MIN_MTU = 68;

    /** @throws RdmaException EINVAL if the name, the index or the MTU is out of bounds */
    public NetDeviceSetup {
        if (!isValidName(name)) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "\"" + name + "\" is no interface name: 1 to " + MAX_NAME_LENGTH
                            + " characters without '/', ':' and spaces, and neither \".\" nor \"..\"");
        }
        if (ifindex < 1) {
            throw new RdmaException(Errno.EINVAL, "ifindex " + ifindex + " is less than 1");
        }
        if (mtu < MIN_MTU) {
            throw new RdmaException(Errno.EINVAL, "MTU " + mtu + " is less than " + MIN_MTU);
        }
        addresses = List.copyOf(addresses);
        features = NetDeviceFeature.fix(name, features);
    }

    /** An IP device. */
    public NetDeviceSetup(
            String name, int ifindex, int mtu, long macAddress, List<Gid> addresses, Set<NetDeviceFeature> features) {
        this(LinkType.IP, name, ifindex, mtu, macAddress, addresses, features);
    }

    /** True if an interface may be called so ({@code dev_valid_name}). */
    public static boolean isValidName(String name) {
        return !name.isEmpty()
                && name.length() <= MAX_NAME_LENGTH
                && !name.equals(".")
                && !name.equals("..")
                && name.chars().noneMatch(c -> c == '/' || c == ':' || Character.isWhitespace(c));
    }
}
