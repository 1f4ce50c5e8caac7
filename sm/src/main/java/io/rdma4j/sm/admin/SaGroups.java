// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.admin;

import io.rdma4j.base.Gid;
import io.rdma4j.sm.BroadcastGroup;
import io.rdma4j.sm.routing.MulticastTrees;
import io.rdma4j.sm.sweep.SubnetSnapshot;
import io.rdma4j.sm.topology.SharedPkeys;
import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sa.McMemberRecord;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The multicast groups of a subnet and their members (IBA 15.2.5.17). */
final class SaGroups {
    private static final int FULL_MEMBER = 1;
    private static final int NON_MEMBER = 2;
    private static final int SEND_ONLY_FULL_MEMBER = 8;
    private static final int RECEIVES = FULL_MEMBER | NON_MEMBER;
    private static final int MULTICAST_BYTE = 0xFF;
    private static final int EXACTLY = 2;
    private static final int MTU_2048 = 4;
    private static final int RATE_10 = 3;
    private static final int LIFE_TIME = 18;
    private static final int FULL_BIT = 0x8000;
    private static final int MAX_GROUPS = 1022;
    private static final long FIRST_MADE_PREFIX = 0xFF12_A01B_FE80_0000L;

    /** Components that a request which makes a group must have. */
    private static final List<MadField> TO_CREATE = List.of(
            McMemberRecord.QKEY,
            McMemberRecord.TRAFFIC_CLASS,
            McMemberRecord.PKEY,
            McMemberRecord.FLOW_LABEL,
            McMemberRecord.SL);

    private static final List<MadField> OF_GROUP = List.of(
            McMemberRecord.QKEY,
            McMemberRecord.PKEY,
            McMemberRecord.TRAFFIC_CLASS,
            McMemberRecord.SL,
            McMemberRecord.FLOW_LABEL,
            McMemberRecord.HOP_LIMIT);

    /** Components with a selector. */
    private static final List<MadField> SELECTED =
            List.of(McMemberRecord.MTU, McMemberRecord.RATE, McMemberRecord.PACKET_LIFE_TIME);

    /**
     * A group: the record without a member, and the join states by GID of the port.
     *
     * @param isKept true if it stays without members
     */
    private record Group(MemorySegment record, Map<Gid, Integer> members, boolean isKept) {}

    private final Map<Gid, Group> groups = new LinkedHashMap<>();
    private final BitSet mlids = new BitSet();
    private final Listener listener;
    private long made;

    /** Hears of changes of the members. */
    interface Listener {
        /** @param ports of the members; none if the group has ended */
        void changed(int mlid, MulticastTrees.Members ports);

        /** @param isNew true for a group that was made, false for one that has ended */
        void announced(Gid mgid, boolean isNew);
    }

    SaGroups(Listener listener) {
        this.listener = listener;
    }

    /**
     * Returns the records of all groups.
     *
     * @param isTrusted such a requester sees a record for each member, and others one for each group
     */
    List<MemorySegment> records(boolean isTrusted) {
        List<MemorySegment> records = new ArrayList<>();
        for (Group group : groups.values()) {
            if (isTrusted) {
                group.members().forEach((port, state) -> {
                    MemorySegment record = MemorySegment.ofArray(new byte[McMemberRecord.LAYOUT.bytes()]);
                    record.copyFrom(group.record());
                    McMemberRecord.PORT_GID.put(record, 0, port);
                    McMemberRecord.JOIN_STATE.put(record, 0, state);
                    records.add(record);
                });
            } else {
                records.add(group.record());
            }
        }
        return records;
    }

    boolean isMember(Gid mgid, Gid port) {
        Group group = groups.get(mgid);
        return group != null && group.members().containsKey(port);
    }

    @Nullable
    MemorySegment group(Gid mgid) {
        Group group = groups.get(mgid);
        return group == null ? null : group.record();
    }

    /**
     * Joins a port, and makes the group if there is none.
     *
     * @param record of the request; it becomes that of the answer
     * @return {@link MadStatus}
     */
    int join(MemorySegment record, long mask, SubnetSnapshot snapshot) {
        Gid port = McMemberRecord.PORT_GID.gid(record, 0);
        int state = McMemberRecord.JOIN_STATE.getInt(record, 0);
        if (!has(mask, McMemberRecord.MGID) || !has(mask, McMemberRecord.PORT_GID) || state == 0) {
            return MadStatus.SA_INVALID_REQUEST;
        }
        SmPort end = snapshot.endOf(port);
        if (end == null) {
            return MadStatus.SA_INVALID_GID;
        }
        Gid mgid = McMemberRecord.MGID.gid(record, 0);
        Group group = groups.get(mgid);
        if (group == null) {
            int status = check(mask, mgid, state);
            if (status != MadStatus.SUCCESS) {
                return status;
            }
            if (!SharedPkeys.has(end, McMemberRecord.PKEY.getInt(record, 0)) || !canCreate(record, mask, end)) {
                return MadStatus.SA_INVALID_REQUEST;
            }
            group = create(record, mgid, false);
            listener.announced(McMemberRecord.MGID.gid(group.record(), 0), true);
        } else if (!agrees(group, record, mask)
                || !reaches(end, group.record())
                || !SharedPkeys.has(end, McMemberRecord.PKEY.getInt(group.record(), 0))) {
            return MadStatus.SA_INVALID_REQUEST;
        }
        int joined = group.members().merge(port, state, (before, more) -> before | more);
        MemorySegment.copy(group.record(), 0, record, 0, record.byteSize());
        McMemberRecord.PORT_GID.put(record, 0, port);
        McMemberRecord.JOIN_STATE.put(record, 0, joined);
        report(group);
        return MadStatus.SUCCESS;
    }

    private static boolean has(long mask, MadField field) {
        return (mask & field.componentMask()) != 0;
    }

    private int check(long mask, Gid mgid, int state) {
        if ((state & (FULL_MEMBER | SEND_ONLY_FULL_MEMBER)) == 0
                || !mgid.isZero() && mgid.prefix() >>> 56 != MULTICAST_BYTE) {
            return MadStatus.SA_INVALID_REQUEST;
        }
        if (!TO_CREATE.stream().allMatch(field -> has(mask, field))) {
            return MadStatus.SA_INSUFFICIENT_COMPONENTS;
        }
        return groups.size() == MAX_GROUPS ? MadStatus.SA_NO_RESOURCES : MadStatus.SUCCESS;
    }

    /** Makes the group for IP over InfiniBand of a partition, which stays without members, unless there is one. */
    void keep(int pkey, BroadcastGroup broadcast) {
        Gid mgid = broadcast.mgid(pkey);
        if (!groups.containsKey(mgid)) {
            MemorySegment wanted = MemorySegment.ofArray(new byte[McMemberRecord.LAYOUT.bytes()]);
            McMemberRecord.QKEY.put(wanted, 0, broadcast.qkey());
            McMemberRecord.PKEY.put(wanted, 0, pkey | FULL_BIT);
            McMemberRecord.TRAFFIC_CLASS.put(wanted, 0, broadcast.trafficClass());
            McMemberRecord.SL.put(wanted, 0, broadcast.serviceLevel());
            McMemberRecord.FLOW_LABEL.put(wanted, 0, broadcast.flowLabel());
            McMemberRecord.MTU.put(wanted, 0, broadcast.mtu());
            McMemberRecord.RATE.put(wanted, 0, broadcast.rate());
            create(wanted, mgid, true);
        }
    }

    /** Chooses MTU and rate of a new group; false if the port cannot have what the request selects. */
    private static boolean canCreate(MemorySegment wanted, long mask, SmPort end) {
        return choose(McMemberRecord.MTU, MTU_2048, mtu(end), wanted, mask)
                && choose(McMemberRecord.RATE, RATE_10, SubnetSnapshot.rate(end), wanted, mask)
                && reaches(end, wanted);
    }

    /** Writes a value that the selector of the request admits: the one of the request, a usual one, or the port's. */
    private static boolean choose(MadField value, int usual, int ofPort, MemorySegment wanted, long mask) {
        MadField selector = Objects.requireNonNull(SaSelectors.of(value));
        long asked = value.get(wanted, 0);
        if (!has(mask, value)) {
            value.put(wanted, 0, usual);
            return true;
        }
        int how = has(mask, selector) ? selector.getInt(wanted, 0) : EXACTLY;
        if (how != EXACTLY) {
            boolean isUsual = how != SaSelectors.LARGEST && SaSelectors.admits(value, how, usual, asked);
            value.put(wanted, 0, isUsual ? usual : ofPort);
        }
        return SaSelectors.admits(value, how, value.get(wanted, 0), asked);
    }

    private static int mtu(SmPort end) {
        return end.common(PortInfoAttribute.MTU_CAP);
    }

    /** True if a port can send and receive all packets of a group. */
    private static boolean reaches(SmPort end, MemorySegment group) {
        return mtu(end) >= McMemberRecord.MTU.getInt(group, 0)
                && SaSelectors.mbps(SubnetSnapshot.rate(end)) >= SaSelectors.mbps(McMemberRecord.RATE.get(group, 0));
    }

    private Group create(MemorySegment wanted, Gid mgid, boolean isKept) {
        MemorySegment record = MemorySegment.ofArray(new byte[McMemberRecord.LAYOUT.bytes()]);
        Gid name = mgid.isZero() ? new Gid(FIRST_MADE_PREFIX, ++made) : mgid;
        int index = mlids.nextClearBit(0);
        mlids.set(index);
        OF_GROUP.forEach(field -> field.put(record, 0, field.get(wanted, 0)));
        McMemberRecord.MGID.put(record, 0, name);
        McMemberRecord.MLID.put(record, 0, Lid.MULTICAST + index);
        McMemberRecord.MTU_SELECTOR.put(record, 0, EXACTLY);
        McMemberRecord.MTU.put(record, 0, McMemberRecord.MTU.get(wanted, 0));
        McMemberRecord.RATE_SELECTOR.put(record, 0, EXACTLY);
        McMemberRecord.RATE.put(record, 0, McMemberRecord.RATE.get(wanted, 0));
        McMemberRecord.LIFE_SELECTOR.put(record, 0, EXACTLY);
        McMemberRecord.PACKET_LIFE_TIME.put(record, 0, LIFE_TIME);
        McMemberRecord.SCOPE.put(record, 0, name.prefix() >>> 48 & 0xF);
        Group group = new Group(record, new LinkedHashMap<>(), isKept);
        groups.put(name, group);
        return group;
    }

    private static boolean agrees(Group group, MemorySegment wanted, long mask) {
        return OF_GROUP.stream()
                        .allMatch(field -> !has(mask, field) || field.get(wanted, 0) == field.get(group.record(), 0))
                && SELECTED.stream().allMatch(field -> isSelected(field, group.record(), wanted, mask));
    }

    private static boolean isSelected(MadField field, MemorySegment group, MemorySegment wanted, long mask) {
        MadField selector = Objects.requireNonNull(SaSelectors.of(field));
        return !has(mask, field)
                || !has(mask, selector)
                || SaSelectors.admits(field, selector.getInt(wanted, 0), field.get(group, 0), field.get(wanted, 0));
    }

    /**
     * Takes join states from a port. The group ends with its last full member.
     *
     * @param record of the request; it becomes that of the answer
     * @return {@link MadStatus}
     */
    int leave(MemorySegment record, long mask) {
        Gid port = McMemberRecord.PORT_GID.gid(record, 0);
        Gid mgid = McMemberRecord.MGID.gid(record, 0);
        int state = McMemberRecord.JOIN_STATE.getInt(record, 0);
        Group group = groups.get(mgid);
        int joined = group == null ? 0 : group.members().getOrDefault(port, 0);
        if (group == null || state == 0 || !has(mask, McMemberRecord.JOIN_STATE) || (state & ~joined) != 0) {
            return MadStatus.SA_INVALID_REQUEST;
        }
        int left = joined & ~state;
        if (left == 0) {
            group.members().remove(port);
        } else {
            group.members().put(port, left);
        }
        MemorySegment.copy(group.record(), 0, record, 0, record.byteSize());
        McMemberRecord.PORT_GID.put(record, 0, port);
        McMemberRecord.JOIN_STATE.put(record, 0, left);
        settle(mgid, group);
        return MadStatus.SUCCESS;
    }

    /** A port that is no longer reachable leaves all its groups. */
    void leaveAll(Gid port) {
        for (Map.Entry<Gid, Group> entry : List.copyOf(groups.entrySet())) {
            if (entry.getValue().members().remove(port) != null) {
                settle(entry.getKey(), entry.getValue());
            }
        }
    }

    /** Ends a group that has no full member any more, unless it is kept, and reports its members. */
    private void settle(Gid mgid, Group group) {
        boolean isAlive =
                group.members().values().stream().anyMatch(each -> (each & (FULL_MEMBER | SEND_ONLY_FULL_MEMBER)) != 0);
        if (!isAlive && !group.isKept()) {
            group.members().clear();
            groups.remove(mgid);
            mlids.clear(McMemberRecord.MLID.getInt(group.record(), 0) - Lid.MULTICAST);
            listener.announced(mgid, false);
        }
        report(group);
    }

    /** Ends all groups. */
    void clear() {
        List<Group> all = List.copyOf(groups.values());
        groups.clear();
        mlids.clear();
        for (Group group : all) {
            group.members().clear();
            report(group);
        }
    }

    private void report(Group group) {
        Set<Long> receivers = new HashSet<>();
        Set<Long> senders = new HashSet<>();
        group.members().forEach((gid, state) -> ((state & RECEIVES) != 0 ? receivers : senders).add(gid.interfaceId()));
        listener.changed(McMemberRecord.MLID.getInt(group.record(), 0), new MulticastTrees.Members(receivers, senders));
    }
}
