// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.ip.neighbour.Neighbour;
import io.rdma4j.ip.neighbour.NeighbourSettings;
import io.rdma4j.ip.neighbour.NeighbourState;
import io.rdma4j.ip.neighbour.NeighbourTable;
import io.rdma4j.links.VethDevice;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Frames;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.wire.ip.Arp;
import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.Icmpv6;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.NeighbourMessage;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A host with an IP layer at one end of a link, in virtual time, and a station at the other end that records and forges
 * frames.
 */
final class LinkBench implements AutoCloseable {
    static final long HOST_LINK = MacAddress.parse("02:00:00:00:00:01");
    static final long PEER_LINK = MacAddress.parse("02:00:00:00:00:02");
    static final long THIRD_LINK = MacAddress.parse("02:00:00:00:00:03");
    static final Gid HOST_V4 = Gid.parse("10.0.0.1");
    static final Gid PEER_V4 = Gid.parse("10.0.0.2");
    static final Gid HOST_V6 = Gid.parse("fd00::1");
    static final Gid PEER_V6 = Gid.parse("fd00::2");
    static final int PORT = 4791;
    private static final int BUFFERS = 16;

    final SkBuffPool pool = new SkBuffPool(BUFFERS, 512);
    final NetDevice device;
    final NetDevice peer;
    final IpStack stack;
    final IpInterface ip;
    final NeighbourTable table;

    /** Frames that the station has received, oldest first; {@link #heard} empties the list. */
    private final List<String> heard = new ArrayList<>();

    long nowNs;

    LinkBench(NeighbourSettings settings) {
        VethDevice.Pair link = VethDevice.pair(
                VethDevice.end("veth0", 2, 1500, HOST_LINK, List.of(HOST_V4, HOST_V6)),
                VethDevice.end("veth1", 3, 1500, PEER_LINK, List.of()));
        device = link.first();
        peer = link.second();
        IpSettings defaults = IpSettings.DEFAULT;
        stack = new IpStack(
                new IpSettings(
                        settings,
                        defaults.hopLimit(),
                        defaults.reassemblyBytes(),
                        defaults.errorsPerSecond(),
                        defaults.errorBurst()),
                () -> nowNs);
        ip = stack.add(device);
        table = ip.neighbours();
        device.up();
        peer.up();
        peer.link().setPromiscuity(1);
        peer.rxHandler().registerReceiver(skb -> {
            heard.add(describe(skb));
            skb.free();
        });
        // The device reports its group memberships first.
        pass(20_000);
        heard();
    }

    private static String describe(SkBuff skb) {
        MemorySegment memory = skb.memory();
        String to = MacAddress.toString(Ethernet.destination(memory, skb.macHeader())) + " ";
        int at = skb.data();
        if (skb.meta().protocol() == EtherType.ARP) {
            return to + Arp.format(memory, at);
        }
        boolean isMessage =
                skb.meta().protocol() == EtherType.IPV6 && Ipv6.nextHeader(memory, at) == Icmpv6.NEXT_HEADER;
        return to + (isMessage ? NeighbourMessage.format(memory, at + Ipv6.BYTES) : "packet " + skb.len());
    }

    /** Frames that were sent over the link since the last call. */
    List<String> heard() {
        while (peer.napi().poll(BUFFERS) > 0) {}
        List<String> all = List.copyOf(heard);
        heard.clear();
        return all;
    }

    /** Sends a packet with {@code payload} bytes of payload. */
    void send(Gid destination, int payload) {
        Gid source = destination.isIpv4() ? HOST_V4 : HOST_V6;
        SkBuff skb = Packets.udp(pool, source, PORT, destination, PORT, new byte[payload]);
        if (table.resolve(skb, destination)) {
            device.transmit(skb);
        }
    }

    /** Advances the time, and runs timers that become due. */
    void pass(long milliseconds) {
        long untilNs = nowNs + TimeUnit.MILLISECONDS.toNanos(milliseconds);
        while (stack.nextDeadlineNs() <= untilNs) {
            nowNs = Math.max(nowNs, stack.nextDeadlineNs());
            stack.onTimeout(nowNs);
        }
        nowNs = untilNs;
    }

    /** Sends a frame from the station at the other end. */
    void forge(long to, int protocol, byte[] payload) {
        peer.transmit(Frames.frame(pool, to, PEER_LINK, protocol, payload));
        device.napi().poll(1);
    }

    void arp(long to, int operation, long senderLink, Gid sender, Gid target) {
        byte[] packet = new byte[Arp.BYTES];
        Arp.write(MemorySegment.ofArray(packet), 0, operation, senderLink, sender.ipv4(), 0, target.ipv4());
        forge(to, EtherType.ARP, packet);
    }

    /** Sends the peer's reply to a request for its IPv4 address. */
    void answerArp() {
        arp(HOST_LINK, Arp.REPLY, PEER_LINK, PEER_V4, HOST_V4);
    }

    NeighbourState state(Gid address) {
        Neighbour neighbour = table.find(address);
        return neighbour == null ? NeighbourState.NONE : neighbour.state();
    }

    @Override
    public void close() {
        device.unregister();
        peer.unregister();
        stack.close();
        int inUse = BUFFERS - pool.available();
        pool.close();
        if (inUse != 0) {
            throw new AssertionError(inUse + " buffers are not free");
        }
    }
}
