// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.admin;

import io.rdma4j.sm.sweep.SubnetSnapshot;
import io.rdma4j.sm.topology.SharedPkeys;
import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.sa.PathRecord;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;

/** The path records of a subnet (IBA 15.2.5.16): the ways that the forwarding tables give. */
final class SaPaths {
    private static final int EXACTLY = 2;
    private static final int NOT_FIRST = 2;

    private final SubnetSnapshot snapshot;

    SaPaths(SubnetSnapshot snapshot) {
        this.snapshot = snapshot;
    }

    /** Returns the records of the ways between the ends that a query names; all ends for one that it does not name. */
    List<MemorySegment> records(MemorySegment query, long mask) {
        List<MemorySegment> records = new ArrayList<>();
        for (SmPort from : snapshot.ends()) {
            if (isEnd(from, query, mask, PathRecord.SGID, PathRecord.SLID)) {
                for (SmPort to : snapshot.ends()) {
                    if (isEnd(to, query, mask, PathRecord.DGID, PathRecord.DLID)) {
                        records.addAll(between(from, to, query, mask));
                    }
                }
            }
        }
        return records;
    }

    private boolean isEnd(SmPort end, MemorySegment query, long mask, MadField gid, MadField lid) {
        boolean isGid = (mask & gid.componentMask()) == 0 || snapshot.has(end, gid.gid(query, 0));
        return isGid && ((mask & lid.componentMask()) == 0 || lid.getInt(query, 0) >> end.lmc == end.lid >> end.lmc);
    }

    /** Equal path bits come first. */
    private List<MemorySegment> between(SmPort from, SmPort to, MemorySegment query, long mask) {
        List<MemorySegment> records = new ArrayList<>();
        int pkey = pkey(from, to, query, mask);
        if (pkey == 0) {
            return records;
        }
        for (int i = 0; i < 1 << from.lmc; i++) {
            for (int j = 0; j < 1 << to.lmc; j++) {
                List<SmPort> way = snapshot.walk(from, to.lid + j);
                if (way != null
                        && isLid(query, mask, PathRecord.SLID, from.lid + i)
                        && isLid(query, mask, PathRecord.DLID, to.lid + j)) {
                    records.add(asked(record(from, to, i, j, way, pkey), query, mask));
                }
            }
        }
        records.sort(Comparator.comparingInt(record -> PathRecord.PREFERENCE.getInt(record, 0)));
        boolean isLimited = (mask & PathRecord.NUMB_PATH.componentMask()) != 0;
        int limit = isLimited ? PathRecord.NUMB_PATH.getInt(query, 0) : records.size();
        return records.subList(0, Math.min(limit, records.size()));
    }

    /** Returns the P_Key of a path: that of the query, or a common one; 0 if both ends do not share it. */
    private static int pkey(SmPort from, SmPort to, MemorySegment query, long mask) {
        int wanted = PathRecord.PKEY.getInt(query, 0);
        if ((mask & PathRecord.PKEY.componentMask()) == 0) {
            return SharedPkeys.common(from, to);
        }
        return SharedPkeys.canUse(from, to, wanted) ? wanted : 0;
    }

    private static boolean isLid(MemorySegment query, long mask, MadField field, int lid) {
        return (mask & field.componentMask()) == 0 || field.getInt(query, 0) == lid;
    }

    /** A port is asked for by any of its GIDs, which then is that of the record. */
    private static MemorySegment asked(MemorySegment record, MemorySegment query, long mask) {
        for (MadField gid : List.of(PathRecord.SGID, PathRecord.DGID)) {
            if ((mask & gid.componentMask()) != 0) {
                gid.put(record, 0, gid.gid(query, 0));
            }
        }
        return record;
    }

    private MemorySegment record(SmPort from, SmPort to, int fromBits, int toBits, List<SmPort> way, int pkey) {
        MemorySegment record = MemorySegment.ofArray(new byte[PathRecord.LAYOUT.bytes()]);
        PathRecord.SGID.put(record, 0, snapshot.gid(from));
        PathRecord.DGID.put(record, 0, snapshot.gid(to));
        PathRecord.SLID.put(record, 0, from.lid + fromBits);
        PathRecord.DLID.put(record, 0, to.lid + toBits);
        PathRecord.REVERSIBLE.put(record, 0, 1);
        PathRecord.PKEY.put(record, 0, pkey);
        PathRecord.MTU_SELECTOR.put(record, 0, EXACTLY);
        PathRecord.MTU.put(record, 0, least(way, from, port -> port.get(PortInfoAttribute.NEIGHBOR_MTU)));
        PathRecord.RATE_SELECTOR.put(record, 0, EXACTLY);
        PathRecord.RATE.put(record, 0, rate(way, from));
        PathRecord.LIFE_SELECTOR.put(record, 0, EXACTLY);
        PathRecord.PACKET_LIFE_TIME.put(
                record, 0, way.isEmpty() ? 0 : snapshot.options().subnetTimeout());
        PathRecord.PREFERENCE.put(record, 0, fromBits == toBits ? 0 : NOT_FIRST);
        return record;
    }

    private static int rate(List<SmPort> way, SmPort from) {
        return way.stream()
                .map(SubnetSnapshot::rate)
                .min(Comparator.comparingInt(code -> SaSelectors.mbps(code)))
                .orElse(SubnetSnapshot.rate(from));
    }

    private static int least(List<SmPort> way, SmPort from, ToIntFunction<SmPort> value) {
        return way.stream().mapToInt(value).min().orElse(value.applyAsInt(from));
    }
}
