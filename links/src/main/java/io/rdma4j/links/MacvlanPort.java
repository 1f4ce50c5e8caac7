// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.receive.RxHandler;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ethernet;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * The stations on one device ({@code struct macvlan_port}). A frame to a station's address goes to that station. A
 * multicast or broadcast frame goes to all stations and to the lower device. All other frames go to the lower device.
 */
final class MacvlanPort implements RxHandler {
    /** Maximum number of copies of multicast frames that stations have not freed yet. */
    private static final int COPIES = 64;

    private final NetDevice lower;
    private final PacketCopies copies;
    private volatile MacvlanDevice[] stations = {};

    private MacvlanPort(NetDevice lower) {
        this.lower = lower;
        this.copies = new PacketCopies(COPIES, lower.maxFrameBytes());
    }

    /**
     * Returns the port of a device. The port is created for the first station and removed with the last.
     *
     * @throws RdmaException EBUSY if the device already has another receive handler
     */
    static MacvlanPort of(NetDevice lower) {
        RxHandler handler = lower.rxHandler().handler();
        if (handler instanceof MacvlanPort port) {
            return port;
        }
        if (handler != null) {
            throw new RdmaException(Errno.EBUSY, lower.name() + " has a device that takes all its frames");
        }
        MacvlanPort port = new MacvlanPort(lower);
        lower.rxHandler().register(port);
        lower.flags().set(PrivateFlag.MACVLAN_PORT, true);
        return port;
    }

    void add(MacvlanDevice station) {
        stations = Stream.concat(Arrays.stream(stations), Stream.of(station)).toArray(MacvlanDevice[]::new);
    }

    void remove(MacvlanDevice station) {
        stations = Arrays.stream(stations).filter(other -> other != station).toArray(MacvlanDevice[]::new);
        if (stations.length == 0) {
            lower.rxHandler().unregister();
            lower.flags().set(PrivateFlag.MACVLAN_PORT, false);
            copies.close();
        }
    }

    /** {@code macvlan_handle_frame}. */
    @Override
    public boolean receive(SkBuff skb) {
        long destination = Ethernet.destination(skb.memory(), skb.macHeader());
        if (MacAddress.isMulticast(destination)) {
            for (MacvlanDevice station : stations) {
                if (station.isTagged(skb)) {
                    giveCopy(station, skb);
                }
            }
            return false;
        }
        for (MacvlanDevice station : stations) {
            if (station.netDevice().macAddress() == destination && station.isTagged(skb)) {
                give(station, skb);
                return true;
            }
        }
        return false;
    }

    private void giveCopy(MacvlanDevice station, SkBuff skb) {
        int linkBytes = skb.data() - skb.macHeader();
        skb.push(linkBytes);
        SkBuff copy = copies.copy(skb);
        skb.pull(linkBytes);
        if (copy == null) {
            station.netDevice().stats().countReceiveError();
        } else {
            copy.setMacHeader(0);
            copy.pull(linkBytes);
            give(station, copy);
        }
    }

    private static void give(MacvlanDevice station, SkBuff skb) {
        skb.meta().clearVlanTag();
        skb.push(skb.data() - skb.macHeader());
        station.netDevice().receive(skb);
    }
}
