// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.packet.PacketType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Icmp;
import io.rdma4j.wire.ip.Icmpv6;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Ipv6Fragment;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Sends ICMP errors and echo replies ({@code icmp_send}, {@code icmpv6_send}, {@code icmp_reply}).
 *
 * <p>Sends no error about an ICMP error, a multicast or broadcast packet, a later fragment, or a packet whose source is
 * not one station's address. {@link ErrorRate} limits the errors except {@link IcmpError#TOO_BIG}, because path MTU
 * discovery needs it.
 */
final class IcmpSender {
    /** Maximum length of an error with its IP header, bytes: RFC 1812, 4.3.2.3; RFC 4443, 2.4. */
    private static final int MOST_IPV4 = 576;

    private static final int MOST_IPV6 = 1280;

    private final RouteCache destinations;
    private final SourceAddresses sources;
    private final IpBuffers buffers;
    private final IpOutput output;
    private final SnmpCounters counters;
    private final NanoClock clock;
    private final ErrorRate rate;
    private final SendOptions errorOptions = new SendOptions().mtuDiscover(PmtuDiscovery.DONT);
    private final SendOptions replyOptions = new SendOptions();

    IcmpSender(
            RouteCache destinations,
            SourceAddresses sources,
            IpBuffers buffers,
            IpOutput output,
            SnmpCounters counters,
            NanoClock clock,
            IpSettings settings) {
        this.destinations = destinations;
        this.sources = sources;
        this.buffers = buffers;
        this.output = output;
        this.counters = counters;
        this.clock = clock;
        this.rate = new ErrorRate(settings.errorsPerSecond(), settings.errorBurst(), clock.nanoTime());
    }

    /**
     * Sends an error to the sender of a packet. The packet must have its network header set, and stays the caller's.
     *
     * @param number MTU or pointer, else 0
     */
    void sendError(SkBuff about, IcmpError error, int number) {
        boolean isIpv4 = IpPacket.isIpv4(about);
        if (!mayBeAnswered(about, isIpv4)) {
            return;
        }
        Destination to = destinations.find(IpPacket.sourcePrefix(about), IpPacket.sourceInterfaceId(about), null);
        Gid source = to.type().error() == null ? sources.select(to) : null;
        IpInterface out = to.out();
        if (source == null || out == null || out.device().flags().has(PrivateFlag.UDP_ONLY)) {
            return;
        }
        if (error != IcmpError.TOO_BIG && !rate.take(clock.nanoTime())) {
            counters.count(isIpv4, SnmpCounter.ICMP_OUT_ERRORS);
            return;
        }
        int before = about.data() - about.networkHeader();
        int most = isIpv4 ? MOST_IPV4 - Ipv4.BYTES - Icmp.BYTES : MOST_IPV6 - Ipv6.BYTES - Icmp.BYTES;
        int quoted = Math.min(before + about.len(), most);
        SkBuff skb =
                message(error.type(isIpv4), error.code(isIpv4), error.rest(isIpv4, number), about, -before, quoted);
        if (skb == null) {
            counters.count(isIpv4, SnmpCounter.ICMP_OUT_ERRORS);
        } else {
            counters.count(isIpv4, error.sent(isIpv4));
            send(skb, to, source, errorOptions);
        }
    }

    /**
     * Replies to an echo request, which stays the caller's. The source is the address that the request was sent to, or
     * one of the host's own if that was a group or broadcast address.
     *
     * @param request its data begin with its ICMP header
     */
    void sendEchoReply(SkBuff request) {
        boolean isIpv4 = IpPacket.isIpv4(request);
        Destination to = destinations.find(IpPacket.sourcePrefix(request), IpPacket.sourceInterfaceId(request), null);
        boolean toGroup =
                IpPacket.isGroup(IpPacket.destinationPrefix(request), IpPacket.destinationInterfaceId(request))
                        || request.meta().packetType() != PacketType.HOST;
        Gid source = toGroup ? sources.select(to) : IpPacket.destination(request);
        int type = isIpv4 ? Icmp.ECHO_REPLY : Icmpv6.ECHO_REPLY;
        int rest = Icmp.rest(request.memory(), request.data());
        SkBuff skb = source == null ? null : message(type, 0, rest, request, Icmp.BYTES, request.len() - Icmp.BYTES);
        if (skb == null || source == null) {
            counters.count(isIpv4, SnmpCounter.ICMP_OUT_ERRORS);
        } else {
            counters.count(isIpv4, SnmpCounter.ICMP_OUT_ECHO_REPS);
            send(skb, to, source, replyOptions.trafficClass(IpPacket.trafficClass(request)));
        }
    }

    private @Nullable SkBuff message(int type, int code, int rest, SkBuff about, int offset, int length) {
        SkBuff skb = buffers.allocate(Icmp.BYTES);
        if (skb == null) {
            return null;
        }
        Icmp.write(skb.memory(), skb.data(), type, code, rest);
        if (!IpBuffers.append(skb, about, offset, length)) {
            skb.free();
            return null;
        }
        return skb;
    }

    /** Sends a message whose checksum is still 0. */
    @Nullable
    Errno send(SkBuff skb, Destination to, Gid source, SendOptions options) {
        boolean isIpv4 = source.isIpv4();
        int sum = isIpv4 ? SendChecksum.of(skb) : SendChecksum.of(skb, source, to.address(), Icmpv6.NEXT_HEADER);
        Icmp.checksum(skb.memory(), skb.data(), sum);
        counters.count(isIpv4, SnmpCounter.ICMP_OUT_MSGS);
        return output.send(skb, to, source, isIpv4 ? Icmp.PROTOCOL : Icmpv6.NEXT_HEADER, options);
    }

    private static boolean mayBeAnswered(SkBuff about, boolean isIpv4) {
        long prefix = IpPacket.sourcePrefix(about);
        long interfaceId = IpPacket.sourceInterfaceId(about);
        boolean fromNobody = prefix == 0 && (interfaceId == 0 || interfaceId == IpPacket.mapped(0));
        boolean fromMany = IpPacket.isGroup(prefix, interfaceId) || interfaceId == IpPacket.mapped(-1);
        boolean toMany = about.meta().packetType() != PacketType.HOST
                || IpPacket.isGroup(IpPacket.destinationPrefix(about), IpPacket.destinationInterfaceId(about));
        return !fromNobody && !fromMany && !toMany && !(isIpv4 ? isErrorOrLater(about) : isErrorOrLaterIpv6(about));
    }

    private static boolean isErrorOrLater(SkBuff about) {
        MemorySegment memory = about.memory();
        int ip = about.networkHeader();
        if (Ipv4.fragmentOffset(memory, ip) != 0) {
            return true;
        }
        int at = ip + Ipv4.headerBytes(memory, ip);
        return Ipv4.protocol(memory, ip) == Icmp.PROTOCOL
                && (at >= about.tail() || Icmp.isError(Icmp.type(memory, at)));
    }

    private static boolean isErrorOrLaterIpv6(SkBuff about) {
        MemorySegment memory = about.memory();
        int ip = about.networkHeader();
        long walked = Ipv6Extensions.skip(memory, ip, about.tail() - ip);
        int protocol = Ipv6Extensions.protocol(walked);
        int at = ip + Ipv6Extensions.offset(walked);
        if (protocol == Ipv6Fragment.NEXT_HEADER && at + Ipv6Fragment.BYTES <= about.tail()) {
            if (Ipv6Fragment.fragmentOffset(memory, at) != 0) {
                return true;
            }
            protocol = Ipv6Fragment.nextHeader(memory, at);
            at += Ipv6Fragment.BYTES;
        }
        return protocol == Icmpv6.NEXT_HEADER && (at >= about.tail() || Icmpv6.isError(Icmpv6.type(memory, at)));
    }
}
