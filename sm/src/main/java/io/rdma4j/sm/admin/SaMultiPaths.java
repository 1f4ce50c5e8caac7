// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.admin;

import io.rdma4j.sm.sweep.SubnetSnapshot;
import io.rdma4j.sm.topology.SmNode;
import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.sa.MultiPathRecord;
import io.rdma4j.wire.mad.sa.PathRecord;
import io.rdma4j.wire.mad.sa.SaHeader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** A request for paths among many ports (IBA 15.2.5.20): each of the sources with each of the destinations. */
final class SaMultiPaths {
    private static final int GID_BYTES = 16;
    private static final int INDEPENDENT = 2;

    private static final Map<MadField, MadField> COMPONENTS = Map.ofEntries(
            Map.entry(MultiPathRecord.REVERSIBLE, PathRecord.REVERSIBLE),
            Map.entry(MultiPathRecord.NUMB_PATH, PathRecord.NUMB_PATH),
            Map.entry(MultiPathRecord.PKEY, PathRecord.PKEY),
            Map.entry(MultiPathRecord.SL, PathRecord.SL),
            Map.entry(MultiPathRecord.MTU_SELECTOR, PathRecord.MTU_SELECTOR),
            Map.entry(MultiPathRecord.MTU, PathRecord.MTU),
            Map.entry(MultiPathRecord.RATE_SELECTOR, PathRecord.RATE_SELECTOR),
            Map.entry(MultiPathRecord.RATE, PathRecord.RATE),
            Map.entry(MultiPathRecord.LIFE_SELECTOR, PathRecord.LIFE_SELECTOR),
            Map.entry(MultiPathRecord.PACKET_LIFE_TIME, PathRecord.PACKET_LIFE_TIME));

    private SaMultiPaths() {}

    /**
     * Returns the records; null if the request has no GIDs, or more than a datagram holds.
     *
     * @param mad the request
     * @param paths answers a query for paths with its component mask
     */
    static @Nullable List<MemorySegment> records(
            MemorySegment mad, SubnetSnapshot snapshot, BiFunction<MemorySegment, Long, List<MemorySegment>> paths) {
        long mask = SaHeader.COMPONENT_MASK.get(mad, SaHeader.OFFSET);
        int sources = MultiPathRecord.SGID_COUNT.getInt(mad, SaHeader.DATA);
        int destinations = MultiPathRecord.DGID_COUNT.getInt(mad, SaHeader.DATA);
        long first = (long) SaHeader.DATA + MultiPathRecord.LAYOUT.bytes();
        if (sources == 0 || destinations == 0 || first + (long) (sources + destinations) * GID_BYTES > mad.byteSize()) {
            return null;
        }
        MemorySegment query = MemorySegment.ofArray(new byte[PathRecord.LAYOUT.bytes()]);
        long wanted = PathRecord.SGID.componentMask() | PathRecord.DGID.componentMask();
        for (Map.Entry<MadField, MadField> component : COMPONENTS.entrySet()) {
            if ((mask & component.getKey().componentMask()) != 0) {
                component.getValue().put(query, 0, component.getKey().get(mad, SaHeader.DATA));
                wanted |= component.getValue().componentMask();
            }
        }
        List<MemorySegment> all = new ArrayList<>();
        for (int i = 0; i < sources; i++) {
            for (int j = sources; j < sources + destinations; j++) {
                MemorySegment.copy(mad, first + (long) i * GID_BYTES, query, PathRecord.SGID.offset(), GID_BYTES);
                MemorySegment.copy(mad, first + (long) j * GID_BYTES, query, PathRecord.DGID.offset(), GID_BYTES);
                all.addAll(paths.apply(query, wanted));
            }
        }
        boolean isIndependent = (mask & MultiPathRecord.INDEPENDENCE_SELECTOR.componentMask()) != 0
                && MultiPathRecord.INDEPENDENCE_SELECTOR.getInt(mad, SaHeader.DATA) == INDEPENDENT;
        return isIndependent ? independent(all, snapshot) : all;
    }

    /** Leaves out paths that have a switch in common with an earlier one, except those next to the two ports. */
    private static List<MemorySegment> independent(List<MemorySegment> all, SubnetSnapshot snapshot) {
        Set<SmNode> used = new HashSet<>();
        List<MemorySegment> chosen = new ArrayList<>();
        for (MemorySegment record : all) {
            Set<SmNode> inner = inner(record, snapshot);
            if (inner.stream().noneMatch(used::contains)) {
                used.addAll(inner);
                chosen.add(record);
            }
        }
        return chosen;
    }

    private static Set<SmNode> inner(MemorySegment record, SubnetSnapshot snapshot) {
        SmPort from = snapshot.endOf(PathRecord.SLID.getInt(record, 0));
        List<SmPort> way = from == null ? null : snapshot.walk(from, PathRecord.DLID.getInt(record, 0));
        Set<SmNode> inner = new HashSet<>();
        for (int i = 2; way != null && i < way.size() - 1; i++) {
            inner.add(way.get(i).node);
        }
        return inner;
    }
}
