// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.values.CqCreateFlag;
import io.rdma4j.verbs.wr.CompletionField;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a new completion queue without its channel and its handler. See {@link
 * io.rdma4j.verbs.CqInitAttributes}.
 */
public interface CqSetup {
    /** {@return the minimum capacity in completions} */
    int entries();

    /** {@return the index of the progress thread that serves the queue, from 0} */
    int vector();

    /** {@return the fields of the queue's completions} */
    Set<CompletionField> fields();

    /** {@return the options of the queue} */
    Set<CqCreateFlag> flags();

    /** {@return memory of the application for the queue's entries; null if the device allocates it} */
    @Nullable
    MemorySegment buffer();

    /**
     * {@return the allocator of the queue's memory, called at creation and at each resize; null for memory of the
     * provider}
     */
    @Nullable
    SegmentAllocator queueMemory();
}
