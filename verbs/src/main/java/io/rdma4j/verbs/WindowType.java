package io.rdma4j.verbs;

/** How a memory window is bound. Answers to {@code enum ibv_mw_type}. */
public enum WindowType {
    /** By verb ({@link MemoryWindow#bind}); good for every queue pair of its protection domain. */
    TYPE_1(1),
    /** By work request; good for the queue pair it was bound on (2A), or that one and the protection domain (2B). */
    TYPE_2(2);

    private final int code;

    WindowType(int code) {
        this.code = code;
    }

    /** {@return the number in C} */
    public int code() {
        return code;
    }
}
