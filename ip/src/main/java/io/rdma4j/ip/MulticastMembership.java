// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.neighbour.NeighbourDiscovery;
import io.rdma4j.ip.neighbour.StackChanges;
import io.rdma4j.net.NetDevice;
import io.rdma4j.wire.ip.GroupRecord;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The multicast groups of a device ({@code struct ip_mc_list}, {@code struct ifmcaddr6}), and the reports about them to
 * routers and switches (RFC 3376, RFC 3810). It reports twice when a group is joined or the device goes up, once when a
 * group is left, and in reply to queries. A query of an older protocol version is answered in that version.
 *
 * <p>Belongs to the owner of the loop, except for {@link #refresh}. Allocates when a group is joined.
 */
final class MulticastMembership {
    /**
     * Groups of all stations: this one ({@code IGMP_ALL_HOSTS}) and ff02::1. Every station is a member without a
     * report.
     */
    static final Gid ALL_HOSTS = Gid.parse("224.0.0.1");

    /** Maximum time between the first and the second report of a group: in current and in older versions. */
    private static final long REPEAT_NS = TimeUnit.SECONDS.toNanos(1);

    private static final long REPEAT_OLDER_NS = TimeUnit.SECONDS.toNanos(10);

    /** Time for which an older version is used after a query of that version. */
    private static final long OLDER_NS = TimeUnit.SECONDS.toNanos(400);

    /** A group of which this host is a member. */
    private static final class Member {
        final Gid group;
        int users;

        /** True if the group is the solicited-node group of an address of the device. */
        boolean ofAddress;

        long deadlineNs = Deadline.NEVER;

        /** Type of the report that is due: that the group was joined, or a reply to a query. */
        int record = GroupRecord.JOINS;

        Member(Gid group) {
            this.group = group;
        }
    }

    private final NetDevice device;
    private final GroupMessages messages;
    private final NanoClock clock;
    private final StackChanges changes;
    private final SplittableRandom random;
    private Member[] members = {};
    private volatile boolean stale = true;
    private boolean wasUp;
    private long olderUntilNs = Deadline.NEVER;
    private long olderIpv6UntilNs = Deadline.NEVER;

    /** @param changes noted when {@link #nextDeadlineNs} is earlier than before */
    MulticastMembership(NetDevice device, GroupMessages messages, NanoClock clock, StackChanges changes) {
        this.device = device;
        this.messages = messages;
        this.clock = clock;
        this.changes = changes;
        this.random = new SplittableRandom(device.macAddress());
    }

    /** Handles a change of the device or its addresses, in the next {@link #onTimeout}; any thread. */
    void refresh() {
        stale = true;
        changes.note();
    }

    /** Joins a group ({@code ip_mc_join_group}). */
    void join(Gid group) {
        Member member = find(group.prefix(), group.interfaceId());
        if (member == null || member.users == 0) {
            device.ip().join(group);
        }
        if (member == null) {
            member = add(group);
        }
        member.users++;
    }

    /**
     * Undoes one {@link #join} ({@code ip_mc_leave_group}).
     *
     * @throws RdmaException ENOENT if the group is not joined
     */
    void leave(Gid group) {
        Member member = find(group.prefix(), group.interfaceId());
        if (member == null || member.users == 0) {
            throw new RdmaException(Errno.ENOENT, device.name() + " is not in the group " + group);
        }
        if (--member.users == 0) {
            device.ip().leave(group);
            removeIfUnused(member);
        }
    }

    private Member add(Gid group) {
        Member member = new Member(group);
        members = Arrays.copyOf(members, members.length + 1);
        members[members.length - 1] = member;
        announce(member);
        return member;
    }

    @SuppressWarnings("ReferenceEquality") // a member is itself
    private void removeIfUnused(Member member) {
        if (member.users == 0 && !member.ofAddress) {
            members = Arrays.stream(members).filter(other -> other != member).toArray(Member[]::new);
            if (isTold(member)) {
                messages.sendLeave(member.group, speaksOlder(member.group.isIpv4()));
            }
        }
    }

    private @Nullable Member find(long prefix, long interfaceId) {
        for (Member member : members) {
            if (IpEndpoint.is(member.group, prefix, interfaceId)) {
                return member;
            }
        }
        return null;
    }

    /**
     * True if packets to a group, given by the halves of its address, are for this host. Always true on a link without
     * link addresses.
     */
    boolean hears(long prefix, long interfaceId) {
        return !device.linkType().hasAddresses()
                || IpEndpoint.is(ALL_HOSTS, prefix, interfaceId)
                || IpEndpoint.is(NeighbourDiscovery.ALL_NODES, prefix, interfaceId)
                || find(prefix, interfaceId) != null
                || isOfAddress(prefix, interfaceId);
    }

    /** Reads the addresses from the device each time, because they may change. */
    private boolean isOfAddress(long prefix, long interfaceId) {
        List<Gid> own = device.addresses();
        for (int i = 0; i < own.size(); i++) {
            if (!own.get(i).isIpv4() && NeighbourDiscovery.isSolicitedNode(own.get(i), prefix, interfaceId)) {
                return true;
            }
        }
        return false;
    }

    /**
     * True if the membership is reported: on a link with addresses that is up, for groups with more than
     * interface-local scope.
     */
    private boolean isTold(Member member) {
        boolean ofHost = !member.group.isIpv4() && (member.group.prefix() >>> 48 & 0xF) <= 1;
        return device.linkType().hasAddresses() && device.isUp() && device.isCarrierOk() && !ofHost;
    }

    private boolean speaksOlder(boolean isIpv4) {
        long untilNs = isIpv4 ? olderUntilNs : olderIpv6UntilNs;
        return untilNs != Deadline.NEVER && !Deadline.isDue(untilNs, clock.nanoTime());
    }

    private void announce(Member member) {
        if (isTold(member)) {
            boolean older = speaksOlder(member.group.isIpv4());
            messages.sendReport(member.group, GroupRecord.JOINS, older);
            member.record = GroupRecord.JOINS;
            schedule(member, older ? REPEAT_OLDER_NS : REPEAT_NS);
        }
    }

    private void schedule(Member member, long withinNs) {
        long at = Deadline.after(clock.nanoTime(), random.nextLong(Math.max(1, withinNs)));
        member.deadlineNs = Deadline.earlier(member.deadlineNs, at);
        changes.note();
    }

    /**
     * Handles a query of a router ({@code igmp_heard_query}): schedules a reply at a random time within {@code
     * withinNs}.
     *
     * @param interfaceId second half of the group's address; 0: all groups
     * @param older true if the query has an older version
     */
    void onQuery(boolean isIpv4, long prefix, long interfaceId, long withinNs, boolean older) {
        if (older) {
            long untilNs = Deadline.after(clock.nanoTime(), OLDER_NS);
            if (isIpv4) {
                olderUntilNs = untilNs;
            } else {
                olderIpv6UntilNs = untilNs;
            }
        }
        for (Member member : members) {
            boolean isMeant = interfaceId == 0 || IpEndpoint.is(member.group, prefix, interfaceId);
            if (member.group.isIpv4() == isIpv4 && isMeant && isTold(member)) {
                member.record = GroupRecord.IS_MEMBER;
                schedule(member, withinNs);
            }
        }
    }

    /**
     * Handles a report of another station. In older versions it cancels our own report, because one per group is enough
     * ({@code igmp_heard_report}).
     */
    void onReport(boolean isIpv4, long prefix, long interfaceId) {
        Member member = find(prefix, interfaceId);
        if (member != null && speaksOlder(isIpv4)) {
            member.deadlineNs = Deadline.NEVER;
        }
    }

    long nextDeadlineNs() {
        if (!device.linkType().hasAddresses()) {
            return Deadline.NEVER;
        }
        long next = stale ? clock.nanoTime() : Deadline.NEVER;
        for (Member member : members) {
            next = Deadline.earlier(next, member.deadlineNs);
        }
        return next;
    }

    void onTimeout(long nowNs) {
        if (device.linkType().hasAddresses()) {
            if (stale) {
                stale = false;
                followDevice();
            }
            for (Member member : members) {
                if (Deadline.isDue(member.deadlineNs, nowNs)) {
                    member.deadlineNs = Deadline.NEVER;
                    if (isTold(member)) {
                        messages.sendReport(member.group, member.record, speaksOlder(member.group.isIpv4()));
                    }
                }
            }
        }
    }

    private void followDevice() {
        for (Member member : members) {
            if (member.ofAddress && !isOfAddress(member.group.prefix(), member.group.interfaceId())) {
                member.ofAddress = false;
                removeIfUnused(member);
            }
        }
        boolean isUp = device.isUp() && device.isCarrierOk();
        if (isUp && !wasUp) {
            for (Member member : members) {
                announce(member);
            }
        }
        wasUp = isUp;
        for (Gid own : device.addresses()) {
            if (!own.isIpv4()) {
                Gid group = NeighbourDiscovery.solicitedNode(own);
                Member member = find(group.prefix(), group.interfaceId());
                (member == null ? add(group) : member).ofAddress = true;
            }
        }
    }
}
