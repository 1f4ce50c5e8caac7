package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * Who answers to which IP address on the link of a device ({@code struct neigh_table}). Entries are made by hand and stay
 * ({@code NUD_PERMANENT}); every destination is on the link, there are no routers.
 *
 * <p>Any thread changes it; the loop scans an array that is never changed.
 */
public final class NeighbourTable {
    private record Entry(Gid address, long mac) {}

    private final NetDevice device;
    private volatile Entry[] entries = {};
    private long unresolved;

    NeighbourTable(NetDevice device) {
        this.device = device;
    }

    /**
     * Makes the station {@code mac} answer to {@code address}, in the place of another one if need be.
     *
     * @throws RdmaException EINVAL for an address of a group, or a station that is none
     */
    public synchronized void add(Gid address, long mac) {
        if (address.isMulticast() || !MacAddress.isValid(mac)) {
            throw new RdmaException(
                    Errno.EINVAL,
                    MacAddress.toString(mac) + " cannot answer to " + address + ": both must be one station's");
        }
        entries = Stream.concat(without(address), Stream.of(new Entry(address, mac)))
                .toArray(Entry[]::new);
    }

    /** Forgets who answers to {@code address}; nothing happens if nobody does. */
    public synchronized void remove(Gid address) {
        entries = without(address).toArray(Entry[]::new);
    }

    private Stream<Entry> without(Gid address) {
        return Arrays.stream(entries).filter(entry -> !entry.address.equals(address));
    }

    /** Packets that were not sent because nobody answers to their destination ({@code unresolved_discards}). */
    public long unresolved() {
        return unresolved;
    }

    /**
     * Puts the link header in front of an IP packet that is to go to {@code destination} ({@code ip_finish_output2}): none on an
     * IP device. By the owner of the loop; allocates nothing.
     *
     * @return false, counted, if it is not known who answers to the destination: the buffer is as it was
     */
    public boolean resolve(SkBuff skb, Gid destination) {
        int protocol = destination.isIpv4() ? EtherType.IPV4 : EtherType.IPV6;
        long mac = 0;
        if (device.linkType() == LinkType.ETHERNET) {
            mac = destination.isMulticast() ? MacAddress.ofGroup(destination) : find(destination);
            if (MacAddress.isZero(mac)) {
                unresolved++;
                return false;
            }
        }
        device.pushLinkHeader(skb, protocol, mac);
        return true;
    }

    private long find(Gid address) {
        for (Entry entry : entries) {
            if (entry.address.equals(address)) {
                return entry.mac;
            }
        }
        return 0;
    }
}
