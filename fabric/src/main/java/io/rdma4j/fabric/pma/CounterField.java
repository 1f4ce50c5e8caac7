// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.pma;

import io.rdma4j.fabric.PortCount;
import io.rdma4j.wire.mad.MadField;
import org.jspecify.annotations.Nullable;

/**
 * A counter in an attribute of performance management.
 *
 * @param field in the attribute
 * @param bit of the counter in the select field, or {@link #SECOND} and above in the second one
 * @param count that the field shows; null for one that is always 0, because a simulated link has no such errors
 * @param less a count that is subtracted; null for none
 */
record CounterField(
        MadField field,
        int bit,
        @Nullable PortCount count,
        @Nullable PortCount less) {
    /** First bit of the second select field. */
    static final int SECOND = 16;

    static CounterField counter(MadField field, int bit, PortCount count) {
        return new CounterField(field, bit, count, null);
    }

    static CounterField zero(MadField field, int bit) {
        return new CounterField(field, bit, null, null);
    }

    /** Returns the largest value of the field. */
    long most() {
        return field.bits() == Long.SIZE ? Long.MAX_VALUE : (1L << field.bits()) - 1;
    }

    /** Returns true if a Set with these select fields clears the counter. */
    boolean isSelected(int select, int select2) {
        return ((bit < SECOND ? select >>> bit : select2 >>> bit - SECOND) & 1) != 0;
    }
}
