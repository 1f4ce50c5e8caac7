package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;

/**
 * An IP address of an interface ({@code in_ifaddr}, {@code inet6_ifaddr}), and which others are on its link.
 *
 * @param address IPv4 mapped into IPv6
 * @param prefixLength leading bits that all stations of the link have in common: 0..32 for IPv4, 0..128 for IPv6; all bits
 *     if the address says nothing of others
 * @param scope how far it means something
 */
public record InterfaceAddress(Gid address, int prefixLength, AddressScope scope) {
    /**
     * Checks the address and the length.
     *
     * @throws RdmaException EINVAL for a group or the zero address, or if the prefix length is out of bounds
     */
    public InterfaceAddress {
        if (address.isMulticast() || address.isZero() || address.isIpv4() && address.ipv4() == 0) {
            throw new RdmaException(Errno.EINVAL, address + " is no address of an interface");
        }
        int most = IpPrefix.bits(address);
        if (prefixLength < 0 || prefixLength > most) {
            throw new RdmaException(
                    Errno.EINVAL, "prefix length " + prefixLength + " of " + address + " is not in 0.." + most);
        }
    }

    /**
     * {@return an address that says nothing of others, as {@code ip addr add} makes one without a prefix length}
     *
     * @param address of an interface
     */
    public static InterfaceAddress of(Gid address) {
        return new InterfaceAddress(address, IpPrefix.bits(address), AddressScope.of(address));
    }

    /**
     * Reads {@code 10.0.0.1/24}, or an address alone.
     *
     * @param text of an address, and perhaps a slash and the length
     * @return what it says
     * @throws RdmaException EINVAL for anything else
     */
    public static InterfaceAddress parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            return of(Gid.parse(text));
        }
        try {
            Gid address = Gid.parse(text.substring(0, slash));
            return new InterfaceAddress(address, Integer.parseInt(text.substring(slash + 1)), AddressScope.of(address));
        } catch (NumberFormatException e) {
            throw new RdmaException(Errno.EINVAL, "\"" + text + "\" is no address like 10.0.0.1/24", e);
        }
    }

    /** {@return the addresses of its link} */
    public IpPrefix network() {
        return IpPrefix.of(address, prefixLength);
    }

    @Override
    public String toString() {
        return IpPrefix.text(address) + "/" + prefixLength;
    }
}
