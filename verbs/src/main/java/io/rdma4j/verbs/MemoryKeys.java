package io.rdma4j.verbs;

/** Arithmetic of the keys of windows and fast-registered regions, whose low 8 bits belong to the program (IBA 10.6.3.3). */
public final class MemoryKeys {
    private static final int VARIANT = 0xFF;

    private MemoryKeys() {}

    /**
     * {@return the key of the same object with the next variant} Answers to {@code ibv_inc_rkey}.
     *
     * @param key 32 bits
     */
    public static int next(int key) {
        return withVariant(key, key + 1);
    }

    /**
     * {@return the key of the same object with the low 8 bits of {@code variant}} Answers to
     * {@code ib_update_fast_reg_key}.
     *
     * @param key 32 bits
     * @param variant 8 bits
     */
    public static int withVariant(int key, int variant) {
        return (key & ~VARIANT) | (variant & VARIANT);
    }
}
