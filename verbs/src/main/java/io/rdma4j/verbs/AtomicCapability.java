package io.rdma4j.verbs;

/** Against whom atomics of a device are atomic. Answers to {@code enum ibv_atomic_cap}. */
public enum AtomicCapability {
    /** No guarantee. */
    NONE(0, "ATOMIC_NONE"),
    /** Between the QPs of this device. */
    HCA(1, "ATOMIC_HCA"),
    /** Against every other component as well. */
    GLOB(2, "ATOMIC_GLOB");

    private final int code;
    private final String text;

    AtomicCapability(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** {@return the number in C} */
    public int code() {
        return code;
    }

    /** {@return it as tools print it} */
    public String text() {
        return text;
    }
}
