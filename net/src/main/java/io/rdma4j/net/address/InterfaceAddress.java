// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.address;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;

/**
 * An IP address of an interface with its prefix ({@code in_ifaddr}, {@code inet6_ifaddr}).
 *
 * @param address IPv4 mapped into IPv6
 * @param prefixLength number of leading bits that all stations of the link share: 0..32 for IPv4, 0..128 for IPv6; all
 *     bits if the address has no on-link prefix
 * @param scope range in which the address is valid
 */
public record InterfaceAddress(Gid address, int prefixLength, AddressScope scope) {
    /**
     * Checks the address and the length.
     *
     * @throws RdmaException EINVAL for a multicast address or the zero address, or if the prefix length is out of range
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
     * {@return an address without an on-link prefix, as {@code ip addr add} creates without a prefix length}
     *
     * @param address an address of an interface
     */
    public static InterfaceAddress of(Gid address) {
        return new InterfaceAddress(address, IpPrefix.bits(address), AddressScope.of(address));
    }

    /**
     * Parses {@code 10.0.0.1/24}, or an address alone.
     *
     * @param text an address, optionally followed by a slash and the length
     * @return the address
     * @throws RdmaException EINVAL for any other format
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

    /** {@return the prefix of its link} */
    public IpPrefix network() {
        return IpPrefix.of(address, prefixLength);
    }

    @Override
    public String toString() {
        return IpPrefix.text(address) + "/" + prefixLength;
    }
}
