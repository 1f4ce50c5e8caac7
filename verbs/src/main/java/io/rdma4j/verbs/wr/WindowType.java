// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.wr;

/** Type of a memory window, which determines how it is bound. Corresponds to {@code enum ibv_mw_type}. */
public enum WindowType {
    /**
     * Bound by a verb ({@link io.rdma4j.verbs.MemoryWindow#bind}); valid for every queue pair of its protection domain.
     */
    TYPE_1(1),
    /**
     * Bound by a work request; valid for the queue pair of that request (2A), or for that queue pair and the protection
     * domain (2B).
     */
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
