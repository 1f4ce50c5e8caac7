// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm;

import org.jspecify.annotations.Nullable;

/** The state of a subnet manager (IBA 14.4.1); the ordinal is the value of SMInfo. */
public enum SmState {
    /** It does nothing until a master wakes it. */
    NOT_ACTIVE,
    /** It looks for other managers. */
    DISCOVERING,
    /** It polls the master. */
    STANDBY,
    /** It manages the subnet. */
    MASTER;

    /**
     * {@return the state of a value of SMInfo; null for one that is not defined}
     *
     * @param value from 0
     */
    public static @Nullable SmState of(int value) {
        return value < values().length ? values()[value] : null;
    }
}
