// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

/**
 * Computes keys of memory windows and fast-registered regions, whose low 8 bits the application chooses (IBA 10.6.3.3).
 */
public final class MemoryKeys {
    private static final int VARIANT = 0xFF;

    private MemoryKeys() {}

    /**
     * {@return the key with its low 8 bits incremented} Corresponds to {@code ibv_inc_rkey}.
     *
     * @param key 32 bits
     */
    public static int next(int key) {
        return withVariant(key, key + 1);
    }

    /**
     * {@return the key with its low 8 bits replaced by those of {@code variant}} Corresponds to
     * {@code ib_update_fast_reg_key}.
     *
     * @param key 32 bits
     * @param variant 8 bits
     */
    public static int withVariant(int key, int variant) {
        return (key & ~VARIANT) | (variant & VARIANT);
    }
}
