// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpType;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** Makes the queue pairs of {@code cmtime}, which share a completion queue on each device. */
final class CmtimeQueues implements AutoCloseable {
    private final Map<Context, Shared> devices = new LinkedHashMap<>();

    private record Shared(ProtectionDomain pd, CompletionQueue cq) {}

    void createQp(RdmaId id) {
        Shared shared = devices.computeIfAbsent(
                Objects.requireNonNull(id.verbs(), "an id with a device"),
                context -> new Shared(context.allocatePd(), context.createCq(1)));
        id.createQp(
                shared.pd,
                QpInitAttributes.builder(shared.cq, shared.cq)
                        .type(QpType.RC)
                        .capabilities(QpCapabilities.of(1, 1))
                        .build());
    }

    /** Closes what the queue pairs shared; these are closed already. */
    @Override
    public void close() {
        for (Shared shared : devices.values()) {
            shared.cq.close();
            shared.pd.close();
        }
    }
}
