// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.sweep;

import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sa.GuidInfoRecord;
import io.rdma4j.wire.mad.sm.GuidInfo;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The further GUIDs of ports, which clients of the administrator set (IBA 15.2.5.18): each one is a GID of the port.
 * The next sweep writes them to the port.
 */
public final class AliasGuids {
    private static final List<MadField> ENTRIES = GuidInfo.GUIDS.elements();
    /** Bit of the component mask of entry 0. */
    private static final int FIRST_COMPONENT = 4;
    /** GUIDs that the administrator makes are locally administered. */
    private static final long FIRST_MADE = 0x0200_0000_0000_0000L;

    private final SmpRequests requests;
    private final SmpRequests.Answer answer;
    /** The tables that were set, by GUID of the port. */
    private final Map<Long, MemorySegment> tables = new HashMap<>();

    private long made;

    AliasGuids(SmpRequests requests, SmpRequests.Answer answer) {
        this.requests = requests;
        this.answer = answer;
    }

    /** Writes the table of a port that was set, where it differs from what was read. */
    void write(SmPort end) {
        MemorySegment wanted = tables.get(end.guid);
        if (wanted != null && wanted.mismatch(end.guids) >= 0) {
            MemorySegment mad = requests.set(end, MadAttribute.GUID_INFO, 0);
            MemorySegment.copy(wanted, 0, mad, Smp.DATA, wanted.byteSize());
            requests.send(mad, answer);
            end.guids.copyFrom(wanted);
        }
    }

    /**
     * Sets or deletes entries. The GUID 0 asks for one that the administrator makes; one that is in use becomes 0.
     *
     * @param record of the request; it becomes that of the answer
     * @return {@link MadStatus}
     */
    public int change(MemorySegment record, long mask, boolean isSet, SubnetSnapshot snapshot) {
        boolean hasLid = (mask & GuidInfoRecord.LID.componentMask()) != 0;
        boolean hasFirst = (mask & 1L << FIRST_COMPONENT) != 0;
        SmPort end = hasLid ? snapshot.endOf(GuidInfoRecord.LID.getInt(record, 0)) : null;
        if (!hasLid || hasFirst) {
            return MadStatus.SA_INVALID_REQUEST;
        }
        if (end == null || GuidInfoRecord.BLOCK.getInt(record, 0) != 0) {
            return MadStatus.SA_NO_RECORDS;
        }
        MemorySegment table = MemorySegment.ofArray(new byte[GuidInfo.LAYOUT.bytes()]);
        table.copyFrom(tables.getOrDefault(end.guid, end.guids));
        for (int i = 1; i < ENTRIES.size(); i++) {
            if ((mask & 1L << FIRST_COMPONENT + i) != 0) {
                long wanted = isSet ? ENTRIES.get(i).get(record, GuidInfoRecord.TABLE) : 0;
                ENTRIES.get(i).put(table, 0, isSet ? free(wanted, end, snapshot) : 0);
            }
        }
        tables.put(end.guid, table);
        MemorySegment.copy(table, 0, record, GuidInfoRecord.TABLE, table.byteSize());
        return MadStatus.SUCCESS;
    }

    /** Returns a GUID that no port has: the wanted one, or a new one for 0; 0 if the wanted one is in use. */
    private long free(long wanted, SmPort by, SubnetSnapshot snapshot) {
        if (wanted == 0) {
            made++;
            return FIRST_MADE + made;
        }
        boolean isUsed = snapshot.ends().stream()
                .anyMatch(end -> end.guid == wanted || end.guid != by.guid && has(tables.get(end.guid), end, wanted));
        return isUsed ? 0 : wanted;
    }

    private static boolean has(@Nullable MemorySegment set, SmPort end, long guid) {
        return ENTRIES.stream().anyMatch(entry -> entry.get(set == null ? end.guids : set, 0) == guid);
    }
}
