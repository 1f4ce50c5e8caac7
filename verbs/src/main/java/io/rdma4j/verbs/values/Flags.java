// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.ToLongFunction;

/** Converts sets of flag constants to C bit masks and back. */
public final class Flags {
    private Flags() {}

    /**
     * {@return the OR of the bits of {@code flags}}
     *
     * @param <E> type of the flags
     * @param flags any collection; may be empty
     * @param bit returns the bit of a flag
     */
    public static <E extends Enum<E>> long mask(Collection<E> flags, ToLongFunction<E> bit) {
        long mask = 0;
        for (E flag : flags) {
            mask |= bit.applyAsLong(flag);
        }
        return mask;
    }

    /**
     * {@return the constants of {@code type} whose bit is in {@code mask}; bits without a constant are ignored}
     *
     * @param <E> type of the flags
     * @param type class of the flags
     * @param mask C bit mask
     * @param bit returns the bit of a flag
     */
    public static <E extends Enum<E>> Set<E> of(Class<E> type, long mask, ToLongFunction<E> bit) {
        EnumSet<E> flags = EnumSet.noneOf(type);
        for (E flag : type.getEnumConstants()) {
            if ((mask & bit.applyAsLong(flag)) != 0) {
                flags.add(flag);
            }
        }
        return flags;
    }
}
