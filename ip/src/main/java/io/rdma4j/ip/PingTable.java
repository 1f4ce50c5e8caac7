// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Icmp;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints for echo requests by identifier ({@code struct ping_table}). Belongs to the owner of the stack's loop.
 */
final class PingTable {
    private final RouteCache destinations;
    private final SourceAddresses sources;
    private final IcmpSender sender;
    private final SnmpCounters counters;
    private @Nullable PingEndpoint first;
    private int lastIdentifier;

    PingTable(RouteCache destinations, SourceAddresses sources, IcmpSender sender, SnmpCounters counters) {
        this.destinations = destinations;
        this.sources = sources;
        this.sender = sender;
        this.counters = counters;
    }

    PingEndpoint open(int receiveBytes) {
        PingEndpoint one = new PingEndpoint(this, ++lastIdentifier & 0xFFFF, receiveBytes);
        one.next = first;
        first = one;
        return one;
    }

    @Nullable
    Errno send(SkBuff payload, Gid to, int rest, SendOptions options) {
        Destination route = destinations.find(to);
        Gid source = sources.select(route);
        Errno error = route.type().error();
        if (error == null && (source == null || source.isIpv4() != to.isIpv4())) {
            error = Errno.EADDRNOTAVAIL;
        }
        if (error != null || source == null) {
            payload.free();
            return error;
        }
        Icmp.write(payload.memory(), payload.push(Icmp.BYTES), PingEndpoint.requestType(to.isIpv4()), 0, rest);
        counters.count(to.isIpv4(), SnmpCounter.ICMP_OUT_ECHOS);
        return sender.send(payload, route, source, options);
    }

    @Nullable
    PingEndpoint find(int identifier) {
        PingEndpoint one = first;
        while (one != null && one.identifier() != identifier) {
            one = one.next;
        }
        return one;
    }

    @SuppressWarnings("ReferenceEquality") // an endpoint is itself
    void remove(PingEndpoint gone) {
        PingEndpoint before = null;
        for (PingEndpoint one = first; one != null; one = one.next) {
            if (one == gone) {
                if (before == null) {
                    first = one.next;
                } else {
                    before.next = one.next;
                }
                return;
            }
            before = one;
        }
    }

    void close() {
        for (PingEndpoint one = first; one != null; one = one.next) {
            one.discardAll();
        }
        first = null;
    }
}
