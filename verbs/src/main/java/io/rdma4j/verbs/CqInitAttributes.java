package io.rdma4j.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a completion queue is to be made. Answers to {@code struct ibv_cq_init_attr_ex}; immutable.
 *
 * @param entries {@code cqe}: completions it holds at least
 * @param channel {@code channel}: where its events go; null if it is only polled
 * @param vector {@code comp_vector}: which of the device's progress threads serves it, from 0
 * @param userContext {@code cq_context}: the program's own, never looked at
 * @param eventHandler gets the queue's asynchronous events; called on the device's thread: it must neither
 *     block nor change objects of the device
 * @param fields {@code wc_flags}: what its completions carry; only these mean anything
 * @param flags {@code flags}: how it behaves
 * @param buffer the program's own memory for the queue; null if the device is to allocate it. Native, not confined to a
 *     thread, at a multiple of 64; must live as long as the queue, which breaks with {@link EventType#CQ_ERR} otherwise
 * @param queueMemory where a provider puts the queue, called at creation and at each resize, so that others can share it; null for memory of
 *     the provider's own. Not looked at if there is a buffer
 */
public record CqInitAttributes(
        int entries,
        @Nullable CompletionChannel channel,
        int vector,
        @Nullable Object userContext,
        @Nullable Consumer<AsyncEvent> eventHandler,
        Set<CompletionField> fields,
        Set<CqCreateFlag> flags,
        @Nullable MemorySegment buffer,
        @Nullable SegmentAllocator queueMemory) {

    /** Copies the sets. */
    public CqInitAttributes {
        fields = Set.copyOf(fields);
        flags = Set.copyOf(flags);
    }

    /**
     * {@return a queue that is only polled, of what every device has}
     *
     * @param entries {@code cqe}: 1 to {@code max_cqe}
     */
    public static CqInitAttributes of(int entries) {
        return of(entries, null, 0);
    }

    /**
     * {@return a queue with a channel}
     *
     * @param entries {@code cqe}: 1 to {@code max_cqe}
     * @param channel where its events go; null for none
     * @param vector {@code comp_vector}: which progress thread it belongs to, from 0
     */
    public static CqInitAttributes of(int entries, @Nullable CompletionChannel channel, int vector) {
        return new CqInitAttributes(
                entries, channel, vector, null, null, CompletionField.STANDARD, Set.of(), null, null);
    }

    /**
     * {@return the same with the program's own object attached}
     *
     * @param context what {@link CompletionQueue#userContext} shall return
     */
    public CqInitAttributes withUserContext(@Nullable Object context) {
        return new CqInitAttributes(
                entries, channel, vector, context, eventHandler, fields, flags, buffer, queueMemory);
    }

    /**
     * {@return the same with a handler for asynchronous events}
     *
     * @param handler called on the device's thread; null for none
     */
    public CqInitAttributes withEventHandler(@Nullable Consumer<AsyncEvent> handler) {
        return new CqInitAttributes(entries, channel, vector, userContext, handler, fields, flags, buffer, queueMemory);
    }

    /**
     * {@return the same with completions that carry {@code others}}
     *
     * @param others all fields that are wanted, instead of those that were
     */
    public CqInitAttributes withFields(Set<CompletionField> others) {
        return new CqInitAttributes(
                entries, channel, vector, userContext, eventHandler, others, flags, buffer, queueMemory);
    }

    /** {@return the same with completions that carry the time at which they were made, too} */
    public CqInitAttributes withTimestamps() {
        EnumSet<CompletionField> more = EnumSet.of(CompletionField.COMPLETION_TIMESTAMP);
        more.addAll(fields);
        return withFields(more);
    }

    /**
     * {@return the same with other flags}
     *
     * @param others all flags that are wanted, instead of those that were
     */
    public CqInitAttributes withFlags(CqCreateFlag... others) {
        return new CqInitAttributes(
                entries, channel, vector, userContext, eventHandler, fields, Set.of(others), buffer, queueMemory);
    }

    /**
     * {@return the same in the program's own memory}
     *
     * @param memory at a multiple of 64 and large enough for the entries; null for the device's own
     */
    public CqInitAttributes withBuffer(@Nullable MemorySegment memory) {
        return new CqInitAttributes(
                entries, channel, vector, userContext, eventHandler, fields, flags, memory, queueMemory);
    }

    /**
     * {@return the same with memory from elsewhere}
     *
     * @param memory gives the queue its place at creation and at each resize; null for the provider's own
     */
    public CqInitAttributes withQueueMemory(@Nullable SegmentAllocator memory) {
        return new CqInitAttributes(entries, channel, vector, userContext, eventHandler, fields, flags, buffer, memory);
    }
}
