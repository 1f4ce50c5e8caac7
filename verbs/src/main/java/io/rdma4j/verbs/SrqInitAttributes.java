package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.foreign.SegmentAllocator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a shared receive queue is to be made. Answers to {@code struct ibv_srq_init_attr_ex}; immutable.
 *
 * @param type {@code srq_type}
 * @param attributes {@code attr}: sizes asked for; {@link SharedReceiveQueue#query} has what they became
 * @param xrcDomain {@code xrcd}: XRC only
 * @param cq {@code cq}: where its receives complete; XRC only, others use the queue pair's
 * @param userContext {@code srq_context}: the program's own, never looked at
 * @param eventHandler gets the queue's asynchronous events; called on the device's thread: it must
 *     neither block nor change objects of the device
 * @param queueMemory where a provider puts the queue, called at creation and at each resize, so that others can share it; null for memory of
 *     the provider's own
 */
public record SrqInitAttributes(
        SrqType type,
        SrqAttributes attributes,
        @Nullable XrcDomain xrcDomain,
        @Nullable CompletionQueue cq,
        @Nullable Object userContext,
        @Nullable Consumer<AsyncEvent> eventHandler,
        @Nullable SegmentAllocator queueMemory) {

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
     * {@return an ordinary one of this size; limit not armed}
     *
     * @param maxWr {@code max_wr}: requests that it holds at least
     * @param maxSge {@code max_sge}: pieces of memory that a request may have at least
     */
    public static SrqInitAttributes basic(int maxWr, int maxSge) {
        return basic(new SrqAttributes(maxWr, maxSge, 0), null, null);
    }

    /**
     * {@return an ordinary one with the program's own object and a handler}
     *
     * @param attributes sizes asked for
     * @param userContext what {@link SharedReceiveQueue#userContext} shall return
     * @param eventHandler called on the device's thread; null for none
     */
    public static SrqInitAttributes basic(
            SrqAttributes attributes, @Nullable Object userContext, @Nullable Consumer<AsyncEvent> eventHandler) {
        return new SrqInitAttributes(SrqType.BASIC, attributes, null, null, userContext, eventHandler, null);
    }

    /**
     * {@return one for the target queue pairs of a domain}
     *
     * @param attributes sizes asked for
     * @param domain whose target queue pairs it serves
     * @param cq where its receives complete
     */
    public static SrqInitAttributes xrc(SrqAttributes attributes, XrcDomain domain, CompletionQueue cq) {
        return new SrqInitAttributes(SrqType.XRC, attributes, domain, cq, null, null, null);
    }

    /**
     * {@return the same with the program's own object}
     *
     * @param context what {@link SharedReceiveQueue#userContext} shall return
     */
    public SrqInitAttributes withUserContext(@Nullable Object context) {
        return new SrqInitAttributes(type, attributes, xrcDomain, cq, context, eventHandler, queueMemory);
    }

    /**
     * {@return the same with memory from elsewhere}
     *
     * @param memory gives the queue its place at creation and at each resize; null for the provider's own
     */
    public SrqInitAttributes withQueueMemory(@Nullable SegmentAllocator memory) {
        return new SrqInitAttributes(type, attributes, xrcDomain, cq, userContext, eventHandler, memory);
    }
}
