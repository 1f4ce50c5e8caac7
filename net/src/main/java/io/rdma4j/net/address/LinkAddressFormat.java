// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.address;

import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.wire.ip.LinkLayerAddress;
import java.lang.foreign.MemorySegment;

/**
 * How a link address is written into ARP and neighbour discovery, and as text. Inside this host a link address is a
 * number of 48 bits with the rules of {@link MacAddress}. On a link with longer addresses the number stands for one
 * that the driver has seen; see {@link LinkAddresses#format()}. Any thread.
 */
public interface LinkAddressFormat {
    /** Six bytes: the number itself. */
    LinkAddressFormat ETHERNET = new LinkAddressFormat() {
        @Override
        public void write(MemorySegment segment, long offset, long address) {
            LinkLayerAddress.writeEthernet(segment, offset, address);
        }

        @Override
        public long read(MemorySegment segment, long offset) {
            return LinkLayerAddress.ethernet(segment, offset);
        }

        @Override
        public long ofGroup(Gid group) {
            return MacAddress.ofGroup(group);
        }

        @Override
        public String toString(long address) {
            return MacAddress.toString(address);
        }
    };

    /**
     * Writes an address; zeros for 0.
     *
     * @param segment the memory of the packet
     * @param offset of the first byte
     * @param address 48 bits
     */
    void write(MemorySegment segment, long offset, long address);

    /**
     * {@return an address of a packet, 48 bits} It may be invalid, see {@link MacAddress#isValid}.
     *
     * @param segment the memory of the packet
     * @param offset of the first byte
     */
    long read(MemorySegment segment, long offset);

    /**
     * {@return the link address of an IP multicast group, 48 bits}
     *
     * @param group a multicast address
     */
    long ofGroup(Gid group);

    /**
     * {@return all bytes in hexadecimal, separated by colons}
     *
     * @param address 48 bits
     */
    String toString(long address);
}
