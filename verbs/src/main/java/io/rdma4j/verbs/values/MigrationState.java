// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

/** State of the automatic path migration of a queue pair. Corresponds to {@code enum ibv_mig_state}. */
public enum MigrationState {
    /** Initial state, and the state after a migration. */
    MIGRATED(0, "MIGRATED"),
    /** The queue pair tries to bring both ends to {@link #ARMED}. */
    REARM(1, "REARM"),
    /** Both ends are ready to migrate. */
    ARMED(2, "ARMED");

    private final int code;
    private final String text;

    MigrationState(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** {@return the value of the C constant} */
    public int code() {
        return code;
    }

    /** {@return the name that tools print} */
    public String text() {
        return text;
    }
}
