// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.verbs.values.QpType;

/** The transport service of a connection in a simulated program. */
public enum Service {
    RC(QpType.RC),
    XRC(QpType.XRC_INI),
    UC(QpType.UC),
    UD(QpType.UD);

    private final QpType type;

    Service(QpType type) {
        this.type = type;
    }

    /** Type of the queue pairs that send. */
    QpType type() {
        return type;
    }

    /** True if every message arrives once and in order. */
    public boolean isReliable() {
        return this == RC || this == XRC;
    }

    /** Bytes before each received message (GRH). */
    public int routeBytes() {
        return this == UD ? 40 : 0;
    }
}
