// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import org.jspecify.annotations.Nullable;

/** The queue pair of an {@link RdmaId}, which modifies it. */
interface ManagedQp {
    int qpn();

    QpType type();

    boolean hasSrq();

    void modify(QpAttributes attributes);

    void attachMulticast(Gid group, int lid);

    void detachMulticast(Gid group, int lid);

    void close();

    /** The queue pair of the verbs; null in tests without a device. */
    @Nullable
    QueuePair verbs();

    /** Ends all work requests; a queue pair that is gone already is left alone. */
    default void fail() {
        modify(QpAttributes.builder().state(QpState.ERR).build());
    }
}
