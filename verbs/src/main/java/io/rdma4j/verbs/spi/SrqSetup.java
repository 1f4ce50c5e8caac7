// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.values.SrqAttributes;
import io.rdma4j.verbs.values.SrqType;
import java.lang.foreign.SegmentAllocator;
import org.jspecify.annotations.Nullable;

/** The attributes of a new shared receive queue without its objects. See {@link io.rdma4j.verbs.SrqInitAttributes}. */
public interface SrqSetup {
    /** {@return the type} */
    SrqType type();

    /** {@return the requested sizes} */
    SrqAttributes attributes();

    /** {@return the allocator of the queue, called at creation and at each resize; null for memory of the provider} */
    @Nullable
    SegmentAllocator queueMemory();
}
