// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.admin;

import io.rdma4j.verbs.values.Rate;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.sa.McMemberRecord;
import io.rdma4j.wire.mad.sa.PathRecord;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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

    /** Rates by code: the codes are not in the order of the rates. */
    private static final Map<Long, Integer> MBPS =
            Stream.of(Rate.values()).collect(Collectors.toMap(rate -> (long) rate.code(), Rate::mbps));

    private SaSelectors() {}

    /** Returns the megabits in a second of the code of a rate; 0 for a code that is not defined. */
    static int mbps(long code) {
        return Math.max(0, MBPS.getOrDefault(code, 0));
    }

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
        return isRate ? admits(selector, mbps(present), mbps(wanted)) : admits(selector, present, wanted);
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
