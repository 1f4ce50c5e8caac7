// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.sa.McMemberRecord;
import io.rdma4j.wire.mad.sa.PathRecord;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields of records that say how a value of a query is compared. */
final class SaSelectors {
    private static final int GREATER = 0;
    private static final int LESS = 1;
    private static final int EXACTLY = 2;
    static final int LARGEST = 3;

    private static final Map<MadField, MadField> BY_VALUE = Map.of(
            PathRecord.MTU, PathRecord.MTU_SELECTOR,
            PathRecord.RATE, PathRecord.RATE_SELECTOR,
            PathRecord.PACKET_LIFE_TIME, PathRecord.LIFE_SELECTOR,
            McMemberRecord.MTU, McMemberRecord.MTU_SELECTOR,
            McMemberRecord.RATE, McMemberRecord.RATE_SELECTOR,
            McMemberRecord.PACKET_LIFE_TIME, McMemberRecord.LIFE_SELECTOR);

    private SaSelectors() {}

    /** Returns the selector of a value, or null. */
    static @Nullable MadField of(MadField value) {
        return BY_VALUE.get(value);
    }

    static boolean isSelector(MadField field) {
        return BY_VALUE.containsValue(field);
    }

    static boolean isEqual(MadField field, MemorySegment record, MemorySegment query) {
        if (field.bits() <= Long.SIZE) {
            return field.get(record, 0) == field.get(query, 0);
        }
        int end = field.offset() + field.length();
        return MemorySegment.mismatch(record, field.offset(), end, query, field.offset(), end) < 0;
    }

    /** Compares a value of a record, by the selector of the query. */
    static boolean admits(MadField value, int selector, long present, long wanted) {
        boolean isRate = value == PathRecord.RATE || value == McMemberRecord.RATE;
        return isRate
                ? admits(selector, SaRates.mbps(present), SaRates.mbps(wanted))
                : admits(selector, present, wanted);
    }

    private static boolean admits(int selector, long present, long wanted) {
        return switch (selector) {
            case GREATER -> present > wanted;
            case LESS -> present < wanted;
            case EXACTLY -> present == wanted;
            default -> true;
        };
    }
}
