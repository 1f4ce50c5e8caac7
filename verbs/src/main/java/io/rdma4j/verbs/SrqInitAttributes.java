// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.SrqSetup;
import io.rdma4j.verbs.values.SrqAttributes;
import io.rdma4j.verbs.values.SrqType;
import java.lang.foreign.SegmentAllocator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Attributes for the creation of a shared receive queue; immutable. Corresponds to {@code struct ibv_srq_init_attr_ex}.
 *
 * @param type {@code srq_type}
 * @param attributes {@code attr}: requested sizes; {@link SharedReceiveQueue#query} returns the actual sizes
 * @param xrcDomain {@code xrcd}: XRC only
 * @param cq {@code cq}: completion queue of its receives; XRC only, others use that of the queue pair
 * @param userContext {@code srq_context}: an object of the application that the library does not use
 * @param eventHandler receives the queue's asynchronous events; called on the device's thread: it must neither block
 *     nor change objects of the device
 * @param queueMemory allocates the queue at creation and at each resize, so that another process can share it; null for
 *     memory of the provider
 */
public record SrqInitAttributes(
        SrqType type,
        SrqAttributes attributes,
        @Nullable XrcDomain xrcDomain,
        @Nullable CompletionQueue cq,
        @Nullable Object userContext,
        @Nullable Consumer<AsyncEvent> eventHandler,
        @Nullable SegmentAllocator queueMemory)
        implements SrqSetup {

    /**
     * Checks that the parts agree.
     *
     * @throws RdmaException EINVAL unless exactly an XRC queue has an XRC domain and a completion queue
     */
    public SrqInitAttributes {
        boolean isXrc = type == SrqType.XRC;
        if (isXrc != (xrcDomain != null) || isXrc != (cq != null)) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "an XRC shared receive queue has a domain and a completion queue, a basic one neither");
        }
    }

    /**
     * {@return attributes of a basic queue with these sizes; the limit is not armed}
     *
     * @param maxWr {@code max_wr}: minimum capacity in requests
     * @param maxSge {@code max_sge}: minimum capacity of a request in scatter/gather elements
     */
    public static SrqInitAttributes basic(int maxWr, int maxSge) {
        return basic(new SrqAttributes(maxWr, maxSge, 0), null, null);
    }

    /**
     * {@return attributes of a basic queue with an object of the application and an event handler}
     *
     * @param attributes requested sizes
     * @param userContext the result of {@link SharedReceiveQueue#userContext}
     * @param eventHandler called on the device's thread; null for none
     */
    public static SrqInitAttributes basic(
            SrqAttributes attributes, @Nullable Object userContext, @Nullable Consumer<AsyncEvent> eventHandler) {
        return new SrqInitAttributes(SrqType.BASIC, attributes, null, null, userContext, eventHandler, null);
    }

    /**
     * {@return attributes of a queue for the XRC target queue pairs of a domain}
     *
     * @param attributes requested sizes
     * @param domain of the target queue pairs
     * @param cq completion queue of its receives
     */
    public static SrqInitAttributes xrc(SrqAttributes attributes, XrcDomain domain, CompletionQueue cq) {
        return new SrqInitAttributes(SrqType.XRC, attributes, domain, cq, null, null, null);
    }

    /**
     * {@return these attributes with another object of the application}
     *
     * @param context the result of {@link SharedReceiveQueue#userContext}
     */
    public SrqInitAttributes withUserContext(@Nullable Object context) {
        return new SrqInitAttributes(type, attributes, xrcDomain, cq, context, eventHandler, queueMemory);
    }

    /**
     * {@return these attributes with another allocator of the queue's memory}
     *
     * @param memory allocates the queue at creation and at each resize; null for memory of the provider
     */
    public SrqInitAttributes withQueueMemory(@Nullable SegmentAllocator memory) {
        return new SrqInitAttributes(type, attributes, xrcDomain, cq, userContext, eventHandler, memory);
    }
}
