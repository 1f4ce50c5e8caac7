// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.spi.CqSetup;
import java.lang.foreign.MemorySegment;

/** Checks the attributes of a new completion queue. Corresponds to {@code create_cq} of uverbs. */
public final class CqCreation {
    private CqCreation() {}

    /**
     * Checks all conditions that do not depend on the provider.
     *
     * @throws RdmaException as {@link io.rdma4j.verbs.Context#createCq(io.rdma4j.verbs.CqInitAttributes)}
     */
    public static void check(ContextState context, CqSetup asked) {
        Arguments.range("cqe", asked.entries(), 1, context.queryDevice().limit(DeviceLimit.MAX_CQE));
        Arguments.range("comp_vector", asked.vector(), 0, context.ops().completionVectors() - 1L);
        Arguments.supported("completion field", asked.fields(), context.ops().completionFields());
        Arguments.supported(
                "completion queue flag", asked.flags(), context.ops().completionQueueFlags());
        MemorySegment buffer = asked.buffer();
        if (buffer != null) {
            MemoryCheck.reachable(buffer);
        }
    }
}
