package io.rdma4j.verbs;

/** Automatic path migration of a QP. Answers to {@code enum ibv_mig_state}. */
public enum MigrationState {
    /** At the start and after a migration. */
    MIGRATED(0, "MIGRATED"),
    /** Trying to bring both ends to {@link #ARMED}. */
    REARM(1, "REARM"),
    /** Both ends are ready to migrate. */
    ARMED(2, "ARMED");

    private final int code;
    private final String text;

    MigrationState(int code, String text) {
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
