package io.rdma4j.net.ip;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.LinkType;
import io.rdma4j.net.NetDevice;
import io.rdma4j.wire.GroupRecord;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Which groups a device is in ({@code struct ip_mc_list}, {@code struct ifmcaddr6}), and when the routers and switches of its link
 * are told: at once and once more when it comes in or goes up, when it leaves, and when they ask (RFC 3376, RFC 3810). Whoever
 * asks in the manner of an older version is answered in it.
 *
 * <p>Belongs to the owner of the loop, but for {@link #refresh}. Allocates when a group is joined.
 */
final class MulticastGroups {
    /** {@code IGMP_ALL_HOSTS}, ff02::1: everybody is in, and nobody says so. */
    static final Gid ALL_HOSTS = Gid.parse("224.0.0.1");

    /** From the first report of a group to the second one, at most: of the newer and the older versions. */
    private static final long REPEAT_NS = TimeUnit.SECONDS.toNanos(1);

    private static final long REPEAT_OLDER_NS = TimeUnit.SECONDS.toNanos(10);

    /** How long an older version is spoken after it was heard. */
    private static final long OLDER_NS = TimeUnit.SECONDS.toNanos(400);

    /** A group that somebody on this host is in. */
    private static final class Member {
        final Gid group;
        int users;

        /** It follows from an address of the device. */
        boolean ofAddress;

        long deadlineNs = Deadline.NEVER;

        /** What the report that is due is: that we have come in, or an answer. */
        int record = GroupRecord.JOINS;

        Member(Gid group) {
            this.group = group;
        }
    }

    private final NetDevice device;
    private final GroupMessages messages;
    private final NanoClock clock;
    private final SplittableRandom random;
    private Member[] members = {};
    private volatile boolean stale = true;
    private boolean wasUp;
    private long olderUntilNs = Deadline.NEVER;
    private long olderIpv6UntilNs = Deadline.NEVER;

    MulticastGroups(NetDevice device, GroupMessages messages, NanoClock clock) {
        this.device = device;
        this.messages = messages;
        this.clock = clock;
        this.random = new SplittableRandom(device.macAddress());
    }

    /** The device or its addresses have changed; from any thread. */
    void refresh() {
        stale = true;
    }

    /** Somebody wants what is sent to a group ({@code ip_mc_join_group}). */
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
     * @throws RdmaException ENOENT if nobody has joined it
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
            if (Endpoint.is(member.group, prefix, interfaceId)) {
                return member;
            }
        }
        return null;
    }

    /** True if packets to a group, given by the halves of its address, are for this host; a link of IP packets brings no others. */
    boolean hears(long prefix, long interfaceId) {
        return device.linkType() != LinkType.ETHERNET
                || Endpoint.is(ALL_HOSTS, prefix, interfaceId)
                || Endpoint.is(NeighbourDiscovery.ALL_NODES, prefix, interfaceId)
                || find(prefix, interfaceId) != null
                || isOfAddress(prefix, interfaceId);
    }

    /** Looked up in the device each time, since its addresses may have changed. */
    private boolean isOfAddress(long prefix, long interfaceId) {
        List<Gid> own = device.addresses();
        for (int i = 0; i < own.size(); i++) {
            if (!own.get(i).isIpv4() && NeighbourDiscovery.isSolicitedNode(own.get(i), prefix, interfaceId)) {
                return true;
            }
        }
        return false;
    }

    /** Those who decide where packets of the link go know of everybody, and of what never leaves a host. */
    private boolean isTold(Member member) {
        boolean ofHost = !member.group.isIpv4() && (member.group.prefix() >>> 48 & 0xF) <= 1;
        return device.linkType() == LinkType.ETHERNET && device.isUp() && device.isCarrierOk() && !ofHost;
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
    }

    /**
     * A router asks who is in a group ({@code igmp_heard_query}).
     *
     * @param interfaceId second half of the group's address; 0: all groups
     * @param older the question is one of an older version
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
            boolean isMeant = interfaceId == 0 || Endpoint.is(member.group, prefix, interfaceId);
            if (member.group.isIpv4() == isIpv4 && isMeant && isTold(member)) {
                member.record = GroupRecord.IS_MEMBER;
                schedule(member, withinNs);
            }
        }
    }

    /** Another station is in a group, too: in older versions, one answer is enough ({@code igmp_heard_report}). */
    void onReport(boolean isIpv4, long prefix, long interfaceId) {
        Member member = find(prefix, interfaceId);
        if (member != null && speaksOlder(isIpv4)) {
            member.deadlineNs = Deadline.NEVER;
        }
    }

    long nextDeadlineNs() {
        if (device.linkType() != LinkType.ETHERNET) {
            return Deadline.NEVER;
        }
        long next = stale ? clock.nanoTime() : Deadline.NEVER;
        for (Member member : members) {
            next = Deadline.earlier(next, member.deadlineNs);
        }
        return next;
    }

    void onTimeout(long nowNs) {
        if (device.linkType() == LinkType.ETHERNET) {
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
