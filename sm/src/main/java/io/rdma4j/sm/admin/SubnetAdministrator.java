// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.admin;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.sm.BroadcastGroup;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.sm.SubnetPartition;
import io.rdma4j.sm.routing.MulticastTrees;
import io.rdma4j.sm.sweep.SubnetListener;
import io.rdma4j.sm.sweep.SubnetManager;
import io.rdma4j.sm.sweep.SubnetNotices;
import io.rdma4j.sm.sweep.SubnetSnapshot;
import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.wire.mad.ClassPortInfo;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sa.McMemberRecord;
import io.rdma4j.wire.mad.sa.NodeRecord;
import io.rdma4j.wire.mad.sa.PathRecord;
import io.rdma4j.wire.mad.sa.PortInfoRecord;
import io.rdma4j.wire.mad.sa.SaHeader;
import io.rdma4j.wire.mad.sm.TrapDetails;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The subnet administrator (IBA 15) of a {@link SubnetManager}: paths, nodes, ports, links, switches, forwarding
 * tables, multicast groups, services and subscriptions. It answers from what the last sweep has found, and nothing
 * before. One thread at a time; the caller passes the time, ns.
 */
public final class SubnetAdministrator {
    private static final int UNIT_BYTES = 8;
    /** Multicast groups, MultiPathRecord, {@code InitType}. */
    private static final int CAPABILITIES = 0x0200 | 0x0400 | 0x0800;

    private static final int RESPONSE_TIME = 16;
    private static final Set<MadField> SELECTED =
            Set.of(PathRecord.MTU, PathRecord.RATE, PathRecord.PACKET_LIFE_TIME, PathRecord.SL, PathRecord.REVERSIBLE);

    private final SubnetManager manager;
    private final SaOutput output;
    private final SaTransfers transfers;
    private final SaGroups groups;
    private final SaServices services = new SaServices();
    private final SaSubscriptions subscriptions;
    private long dropped;
    private long nowNs;

    /**
     * Creates the administrator.
     *
     * @param manager whose subnet it administers
     * @param output sends its datagrams
     */
    public SubnetAdministrator(SubnetManager manager, SaOutput output) {
        this.manager = manager;
        this.output = output;
        this.transfers = new SaTransfers(output);
        this.subscriptions = new SaSubscriptions(output);
        SubnetNotices notices = manager.listen(new Events());
        this.groups = new SaGroups(new SaGroups.Listener() {
            @Override
            public void changed(int mlid, MulticastTrees.Members ports) {
                manager.group(mlid, ports);
                manager.regroup(nowNs);
            }

            @Override
            public void announced(Gid mgid, boolean isNew) {
                SubnetSnapshot snapshot = manager.snapshot();
                if (snapshot != null) {
                    int trap = isNew ? TrapDetails.MULTICAST_CREATED : TrapDetails.MULTICAST_DELETED;
                    notices.report(trap, mgid, snapshot, nowNs);
                }
            }
        });
    }

    /** What the manager tells. */
    private final class Events implements SubnetListener {
        @Override
        public void notice(MemorySegment notice, long timeNs) {
            subscriptions.report(notice, timeNs);
        }

        @Override
        public void swept() {
            SubnetOptions options = manager.options();
            if (options.partitions().isEmpty()) {
                groups.keep(SubnetPartition.DEFAULT, BroadcastGroup.DEFAULT);
            }
            for (SubnetPartition partition : options.partitions()) {
                BroadcastGroup broadcast = partition.broadcast();
                if (broadcast != null) {
                    groups.keep(partition.pkey(), broadcast);
                }
            }
        }

        @Override
        public void gone(Gid port, long timeNs) {
            nowNs = timeNs;
            groups.leaveAll(port);
        }

        @Override
        public void handedOver() {
            groups.clear();
            services.clear();
            subscriptions.clear();
            transfers.clear();
        }
    }

    /** {@return number of requests that were dropped, because the manager is not ready or their key is wrong} */
    public long dropped() {
        return dropped;
    }

    /**
     * Takes a datagram that has arrived at queue pair 1.
     *
     * @param memory of the datagram; valid during the call
     * @param offset of its first byte
     * @param lid of its sender
     * @param qpn of its sender
     * @param timeNs now
     * @return false if it is not for an administrator
     */
    public boolean receive(MemorySegment memory, long offset, int lid, int qpn, long timeNs) {
        if (Mad.MGMT_CLASS.getInt(memory, offset) != MadClass.SUBN_ADM.code()) {
            return false;
        }
        SaTransfers.Requester from = SaTransfers.requester(memory, offset, lid, qpn);
        if (SaTransfers.isOfReceiver(memory, offset)) {
            return transfers.receive(from, memory, offset, timeNs);
        }
        int method = Mad.METHOD.getInt(memory, offset);
        if (method == MadMethod.REPORT.responseCode()) {
            return subscriptions.receive(memory, offset, lid);
        }
        if ((method & MadMethod.RESPONSE) != 0 || method == MadMethod.REPORT.code()) {
            return false;
        }
        nowNs = timeNs;
        services.expire(timeNs);
        SubnetSnapshot snapshot = manager.snapshot();
        long key = SaHeader.SM_KEY.get(memory, offset + SaHeader.OFFSET);
        if (snapshot == null || key != 0 && key != manager.options().smKey()) {
            dropped++;
        } else {
            MemorySegment request = MemorySegment.ofArray(new byte[Mad.BYTES]);
            MemorySegment.copy(memory, offset, request, 0, Mad.BYTES);
            answer(request, MadMethod.of(method), snapshot, from);
        }
        return true;
    }

    /** {@return the time at which {@link #advance} is due, or {@link Deadline#NEVER}} */
    public long nextNs() {
        return Deadline.earlier(transfers.nextNs(), Deadline.earlier(services.nextNs(), subscriptions.nextNs()));
    }

    /**
     * Repeats segments of tables and Reports, and ends leases.
     *
     * @param timeNs now
     */
    public void advance(long timeNs) {
        transfers.expire(timeNs);
        services.expire(timeNs);
        subscriptions.expire(timeNs);
    }

    private void answer(
            MemorySegment mad, @Nullable MadMethod method, SubnetSnapshot snapshot, SaTransfers.Requester from) {
        MadAttribute attribute = MadAttribute.of(MadClass.SUBN_ADM, Mad.ATTRIBUTE_ID.getInt(mad, 0));
        if (method == null || attribute == null || !attribute.allows(method)) {
            respond(mad, attribute == null ? MadStatus.BAD_METHOD_ATTRIBUTE : MadStatus.BAD_METHOD, from);
            return;
        }
        if (attribute == MadAttribute.CLASS_PORT_INFO) {
            classPortInfo(mad, from);
        } else if (method == MadMethod.GET_MULTI) {
            List<MemorySegment> found =
                    SaMultiPaths.records(mad, snapshot, (query, mask) -> paths(query, mask, snapshot));
            if (found == null) {
                respond(mad, MadStatus.SA_INVALID_REQUEST, from);
            } else {
                table(mad, found, MadAttribute.PATH_RECORD, from);
            }
        } else if (method == MadMethod.SET || method == MadMethod.DELETE) {
            change(mad, method, attribute, snapshot, from);
        } else {
            if (attribute == MadAttribute.P_KEY_TABLE_RECORD && !isTrusted(mad)) {
                respond(mad, MadStatus.SA_INVALID_REQUEST, from);
                return;
            }
            List<MemorySegment> found = find(mad, attribute, snapshot);
            if (found == null) {
                respond(mad, MadStatus.BAD_METHOD_ATTRIBUTE, from);
            } else if (method == MadMethod.GET_TABLE) {
                table(mad, found, attribute, from);
            } else {
                one(mad, found, attribute, from);
            }
        }
    }

    private void respond(MemorySegment mad, int status, SaTransfers.Requester to) {
        Mad.METHOD.put(
                mad,
                0,
                Mad.METHOD.getInt(mad, 0) == MadMethod.SET.code()
                        ? MadMethod.GET.responseCode()
                        : Mad.METHOD.getInt(mad, 0) | MadMethod.RESPONSE);
        Mad.STATUS.put(mad, 0, status);
        SaHeader.SM_KEY.put(mad, SaHeader.OFFSET, 0);
        output.send(mad, to.lid(), to.qpn());
    }

    private void classPortInfo(MemorySegment mad, SaTransfers.Requester to) {
        MemorySegment info = mad.asSlice(SaHeader.DATA).fill((byte) 0);
        ClassPortInfo.BASE_VERSION.put(info, 0, Mad.BASE_VERSION_1);
        ClassPortInfo.CLASS_VERSION.put(info, 0, MadClass.SUBN_ADM.version());
        ClassPortInfo.CAPABILITY_MASK.put(info, 0, CAPABILITIES);
        ClassPortInfo.RESP_TIME_VALUE.put(info, 0, RESPONSE_TIME);
        respond(mad, MadStatus.SUCCESS, to);
    }

    private void change(
            MemorySegment mad,
            MadMethod method,
            MadAttribute attribute,
            SubnetSnapshot snapshot,
            SaTransfers.Requester from) {
        long mask = SaHeader.COMPONENT_MASK.get(mad, SaHeader.OFFSET);
        MemorySegment record = mad.asSlice(SaHeader.DATA, attribute.layout().bytes());
        boolean isSet = method == MadMethod.SET;
        int status = switch (attribute) {
            case MC_MEMBER_RECORD -> {
                toBaseGid(record, McMemberRecord.PORT_GID, snapshot);
                yield isSet ? groups.join(record, mask, snapshot) : groups.leave(record, mask);
            }
            case SERVICE_RECORD -> isSet ? services.set(record, mask, snapshot, nowNs) : services.delete(record, mask);
            case INFORM_INFO -> subscriptions.set(record, from, isTrusted(mad));
            case GUID_INFO_RECORD -> changeGuids(record, mask, isSet, snapshot);
            default -> MadStatus.BAD_METHOD_ATTRIBUTE;
        };
        SaHeader.ATTRIBUTE_OFFSET.put(mad, SaHeader.OFFSET, units(attribute));
        respond(mad, status, from);
    }

    private int changeGuids(MemorySegment record, long mask, boolean isSet, SubnetSnapshot snapshot) {
        int status = manager.aliases().change(record, mask, isSet, snapshot);
        if (status == MadStatus.SUCCESS) {
            manager.sweep(nowNs);
        }
        return status;
    }

    private static boolean isTrusted(MemorySegment mad) {
        return SaHeader.SM_KEY.isSet(mad, SaHeader.OFFSET);
    }

    // Queries

    private static int units(MadAttribute attribute) {
        return Math.ceilDiv(attribute.layout().bytes(), UNIT_BYTES);
    }

    private @Nullable List<MemorySegment> find(MemorySegment mad, MadAttribute attribute, SubnetSnapshot snapshot) {
        long mask = SaHeader.COMPONENT_MASK.get(mad, SaHeader.OFFSET);
        MemorySegment query = mad.asSlice(SaHeader.DATA, attribute.layout().bytes());
        switch (attribute) {
            case PATH_RECORD -> {
                return paths(query, mask, snapshot);
            }
            case NODE_RECORD -> toBaseLid(query, NodeRecord.LID, snapshot);
            case PORT_INFO_RECORD -> toBaseLid(query, PortInfoRecord.END_PORT_LID, snapshot);
            default -> {
                // the LIDs of other records have no path bits
            }
        }
        List<MemorySegment> all = switch (attribute) {
            case MC_MEMBER_RECORD -> groups.records(isTrusted(mad));
            case SERVICE_RECORD -> services.records(isTrusted(mad), nowNs);
            case INFORM_INFO_RECORD -> subscriptions.records(snapshot, isTrusted(mad));
            default -> SaRecords.of(snapshot, attribute);
        };
        return all == null
                ? null
                : all.stream()
                        .filter(record -> attribute.layout().fields().stream()
                                .allMatch(field -> matches(field, record, query, mask)))
                        .toList();
    }

    /** A record is found by each LID of its port. */
    private static void toBaseLid(MemorySegment query, MadField lid, SubnetSnapshot snapshot) {
        SmPort end = snapshot.endOf(lid.getInt(query, 0));
        if (end != null) {
            lid.put(query, 0, end.lid);
        }
    }

    /** A port is a member by its first GID, also if the request has another one. */
    private static void toBaseGid(MemorySegment record, MadField gid, SubnetSnapshot snapshot) {
        SmPort end = snapshot.endOf(gid.gid(record, 0));
        if (end != null) {
            gid.put(record, 0, snapshot.gid(end));
        }
    }

    private List<MemorySegment> paths(MemorySegment query, long mask, SubnetSnapshot snapshot) {
        boolean toGroup = (mask & PathRecord.DGID.componentMask()) != 0;
        Gid destination = PathRecord.DGID.gid(query, 0);
        MemorySegment group = toGroup ? groups.group(destination) : null;
        if (group != null) {
            boolean isMember = (mask & PathRecord.SGID.componentMask()) == 0
                    || groups.isMember(destination, PathRecord.SGID.gid(query, 0));
            return isMember ? List.of(pathTo(group, query)) : List.of();
        }
        return new SaPaths(snapshot)
                .records(query, mask).stream()
                        .filter(record -> SELECTED.stream().allMatch(field -> matches(field, record, query, mask)))
                        .toList();
    }

    private static MemorySegment pathTo(MemorySegment group, MemorySegment query) {
        MemorySegment record = MemorySegment.ofArray(new byte[PathRecord.LAYOUT.bytes()]);
        MemorySegment.copy(query, 0, record, 0, record.byteSize());
        PathRecord.DLID.put(record, 0, McMemberRecord.MLID.get(group, 0));
        PathRecord.PKEY.put(record, 0, McMemberRecord.PKEY.get(group, 0));
        PathRecord.SL.put(record, 0, McMemberRecord.SL.get(group, 0));
        PathRecord.MTU_SELECTOR.put(record, 0, McMemberRecord.MTU_SELECTOR.get(group, 0));
        PathRecord.MTU.put(record, 0, McMemberRecord.MTU.get(group, 0));
        PathRecord.RATE_SELECTOR.put(record, 0, McMemberRecord.RATE_SELECTOR.get(group, 0));
        PathRecord.RATE.put(record, 0, McMemberRecord.RATE.get(group, 0));
        PathRecord.LIFE_SELECTOR.put(record, 0, McMemberRecord.LIFE_SELECTOR.get(group, 0));
        PathRecord.PACKET_LIFE_TIME.put(record, 0, McMemberRecord.PACKET_LIFE_TIME.get(group, 0));
        PathRecord.HOP_LIMIT.put(record, 0, 1);
        PathRecord.REVERSIBLE.put(record, 0, 0);
        return record;
    }

    /** A selector decides how its value is compared, and is not compared itself (IBA 15.2.5.16). */
    private static boolean matches(MadField field, MemorySegment record, MemorySegment query, long mask) {
        if ((mask & field.componentMask()) == 0) {
            return true;
        }
        MadField selector = SaSelectors.of(field);
        if (selector == null) {
            return SaSelectors.isSelector(field) || SaSelectors.isEqual(field, record, query);
        }
        return (mask & selector.componentMask()) == 0
                || SaSelectors.admits(field, selector.getInt(query, 0), field.get(record, 0), field.get(query, 0));
    }

    // Answers

    /** A path is the first of several; of other records there must be one. */
    private void one(MemorySegment mad, List<MemorySegment> found, MadAttribute attribute, SaTransfers.Requester to) {
        if (found.isEmpty()) {
            respond(mad, MadStatus.SA_NO_RECORDS, to);
        } else if (found.size() > 1 && attribute != MadAttribute.PATH_RECORD) {
            respond(mad, MadStatus.SA_TOO_MANY_RECORDS, to);
        } else {
            MemorySegment record = found.getFirst();
            mad.asSlice(SaHeader.DATA).fill((byte) 0);
            MemorySegment.copy(record, 0, mad, SaHeader.DATA, record.byteSize());
            SaHeader.ATTRIBUTE_OFFSET.put(mad, SaHeader.OFFSET, units(attribute));
            respond(mad, MadStatus.SUCCESS, to);
        }
    }

    private void table(MemorySegment mad, List<MemorySegment> found, MadAttribute attribute, SaTransfers.Requester to) {
        int distance = units(attribute) * UNIT_BYTES;
        MemorySegment message =
                MemorySegment.ofArray(new byte[SaHeader.DATA + Math.multiplyExact(found.size(), distance)]);
        MemorySegment.copy(mad, 0, message, 0, SaHeader.DATA);
        Mad.METHOD.put(message, 0, Mad.METHOD.getInt(mad, 0) | MadMethod.RESPONSE);
        Mad.STATUS.put(message, 0, MadStatus.SUCCESS);
        SaHeader.SM_KEY.put(message, SaHeader.OFFSET, 0);
        SaHeader.ATTRIBUTE_OFFSET.put(message, SaHeader.OFFSET, found.isEmpty() ? 0 : units(attribute));
        long at = SaHeader.DATA;
        for (MemorySegment record : found) {
            MemorySegment.copy(record, 0, message, at, record.byteSize());
            at += distance;
        }
        transfers.begin(to, message, nowNs);
    }
}
