// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.CqSetup;
import io.rdma4j.verbs.values.CqCreateFlag;
import io.rdma4j.verbs.wr.CompletionField;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Attributes of a new completion queue. Corresponds to {@code struct ibv_cq_init_attr_ex}. Immutable.
 *
 * @param entries {@code cqe}: minimum capacity in completions
 * @param channel {@code channel}: channel that receives the queue's completion events; null for none
 * @param vector {@code comp_vector}: index of the progress thread that serves the queue, from 0
 * @param userContext {@code cq_context}: an object of the application, which the library does not use
 * @param completionHandler {@code comp_handler}: called instead of an event on a channel, which must be null then; runs
 *     on the device's thread and must neither block nor change objects of the device; null for none
 * @param eventHandler handler of the queue's asynchronous events; runs on the device's thread and must neither block
 *     nor change objects of the device
 * @param fields {@code wc_flags}: fields of the queue's completions; other fields are undefined
 * @param flags {@code flags}: options of the queue
 * @param buffer memory of the application for the queue's entries; null if the device allocates it. The memory is
 *     native, not confined to a thread, and aligned to 64 bytes. If it is freed while the queue is open, the queue
 *     enters the error state with {@link io.rdma4j.verbs.values.EventType#CQ_ERR}
 * @param queueMemory allocator of the queue's memory, called at creation and at each resize, for queues in shared
 *     memory; null for memory of the provider. Ignored if there is a buffer
 */
public record CqInitAttributes(
        int entries,
        @Nullable CompletionChannel channel,
        int vector,
        @Nullable Object userContext,
        @Nullable Consumer<CompletionQueue> completionHandler,
        @Nullable Consumer<AsyncEvent> eventHandler,
        Set<CompletionField> fields,
        Set<CqCreateFlag> flags,
        @Nullable MemorySegment buffer,
        @Nullable SegmentAllocator queueMemory)
        implements CqSetup {

    /**
     * Copies the sets.
     *
     * @throws RdmaException EINVAL for a channel and a completion handler at once
     */
    public CqInitAttributes {
        if (channel != null && completionHandler != null) {
            throw new RdmaException(
                    Errno.EINVAL, "a completion queue reports its events to " + channel + " or to a handler, not both");
        }
        fields = Set.copyOf(fields);
        flags = Set.copyOf(flags);
    }

    /**
     * {@return attributes of a queue without a channel, with the fields that every device supports}
     *
     * @param entries {@code cqe}: 1 to {@code max_cqe}
     */
    public static CqInitAttributes of(int entries) {
        return of(entries, null, 0);
    }

    /**
     * {@return attributes of a queue with a channel}
     *
     * @param entries {@code cqe}: 1 to {@code max_cqe}
     * @param channel channel that receives the queue's events; null for none
     * @param vector {@code comp_vector}: index of the progress thread that serves the queue, from 0
     */
    public static CqInitAttributes of(int entries, @Nullable CompletionChannel channel, int vector) {
        return new CqInitAttributes(
                entries, channel, vector, null, null, null, CompletionField.STANDARD, Set.of(), null, null);
    }

    /**
     * {@return a copy with an object of the application attached}
     *
     * @param context the object that {@link CompletionQueue#userContext} returns
     */
    public CqInitAttributes withUserContext(@Nullable Object context) {
        return new CqInitAttributes(
                entries, channel, vector, context, completionHandler, eventHandler, fields, flags, buffer, queueMemory);
    }

    /**
     * {@return a copy with a handler of completion events, for applications that have an event loop of their own}
     * {@link CompletionQueue#requestNotification} requests an event, as with a channel.
     *
     * @param handler {@code comp_handler}: called on the device's thread; null for none
     * @throws RdmaException EINVAL if there is a channel
     */
    public CqInitAttributes withCompletionHandler(@Nullable Consumer<CompletionQueue> handler) {
        return new CqInitAttributes(
                entries, channel, vector, userContext, handler, eventHandler, fields, flags, buffer, queueMemory);
    }

    /**
     * {@return a copy with a handler of asynchronous events}
     *
     * @param handler called on the device's thread; null for none
     */
    public CqInitAttributes withEventHandler(@Nullable Consumer<AsyncEvent> handler) {
        return new CqInitAttributes(
                entries, channel, vector, userContext, completionHandler, handler, fields, flags, buffer, queueMemory);
    }

    /**
     * {@return a copy with other completion fields}
     *
     * @param others all requested fields; they replace the current ones
     */
    public CqInitAttributes withFields(Set<CompletionField> others) {
        return new CqInitAttributes(
                entries,
                channel,
                vector,
                userContext,
                completionHandler,
                eventHandler,
                others,
                flags,
                buffer,
                queueMemory);
    }

    /** {@return a copy whose completions also contain {@link CompletionField#COMPLETION_TIMESTAMP}} */
    public CqInitAttributes withTimestamps() {
        EnumSet<CompletionField> more = EnumSet.of(CompletionField.COMPLETION_TIMESTAMP);
        more.addAll(fields);
        return withFields(more);
    }

    /**
     * {@return a copy with other flags}
     *
     * @param others all requested flags; they replace the current ones
     */
    public CqInitAttributes withFlags(CqCreateFlag... others) {
        return new CqInitAttributes(
                entries,
                channel,
                vector,
                userContext,
                completionHandler,
                eventHandler,
                fields,
                Set.of(others),
                buffer,
                queueMemory);
    }

    /**
     * {@return a copy that uses memory of the application for the queue's entries}
     *
     * @param memory aligned to 64 bytes and large enough for the entries; null for memory of the device
     */
    public CqInitAttributes withBuffer(@Nullable MemorySegment memory) {
        return new CqInitAttributes(
                entries,
                channel,
                vector,
                userContext,
                completionHandler,
                eventHandler,
                fields,
                flags,
                memory,
                queueMemory);
    }

    /**
     * {@return a copy with another allocator of queue memory}
     *
     * @param memory allocates the queue's memory at creation and at each resize; null for memory of the provider
     */
    public CqInitAttributes withQueueMemory(@Nullable SegmentAllocator memory) {
        return new CqInitAttributes(
                entries, channel, vector, userContext, completionHandler, eventHandler, fields, flags, buffer, memory);
    }
}
