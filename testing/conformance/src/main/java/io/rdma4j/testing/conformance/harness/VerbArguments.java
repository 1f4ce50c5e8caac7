// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.harness;

import io.rdma4j.base.Gid;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.Reregistration;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.WindowBinding;
import io.rdma4j.verbs.WorkQueue;
import io.rdma4j.verbs.kernel.FmrPoolAttributes;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.DmaAttribute;
import io.rdma4j.verbs.values.FmrAttributes;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.MrInitAttributes;
import io.rdma4j.verbs.values.PhysicalBuffer;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.verbs.values.XrcdInitAttributes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Provides a valid argument for each parameter type of the verbs. */
public final class VerbArguments {
    private final Map<String, Object> byType = new HashMap<>();

    /** Returns the path from a port to itself: by GID, and by LID if it has one. */
    static AddressVector pathTo(Context context, int gidIndex) {
        GlobalRoute route = GlobalRoute.to(context.queryGid(1, gidIndex), gidIndex);
        return new AddressVector(route, context.queryPort(1).lid(), 0, 0, Rate.PORT_CURRENT, 1);
    }

    /** @param objects used as arguments */
    public VerbArguments(VerbsObjects objects, int gidIndex) {
        objects.all().forEach(this::put);
        put(int.class, 1);
        put(long.class, 1L);
        put(boolean.class, false);
        put(Object.class, "");
        put(Class.class, Runnable.class);
        put(Set.class, Set.of());
        put(Duration.class, Duration.ZERO);
        put(Consumer.class, (Consumer<Object>) _ -> {});
        put(Gid.class, Gid.parse("ff0e::1"));
        put(MemorySegment.class, objects.memory());
        put(Arena.class, Arena.ofAuto());
        put(ByteBuffer.class, ByteBuffer.allocateDirect(8));
        put(long[].class, new long[] {objects.memory().address()});
        put(DmaAttribute[].class, new DmaAttribute[0]);
        put(PhysicalBuffer.class, new PhysicalBuffer(1, 1));
        put(FmrAttributes.class, FmrAttributes.of(1));
        put(FmrPoolAttributes.class, FmrPoolAttributes.of(1, FmrAttributes.of(1), Set.of()));
        put(MrInitAttributes.class, MrInitAttributes.of(objects.memory(), Set.of()));
        put(Reregistration.class, Reregistration.empty().withAccess(Set.of()));
        put(XrcdInitAttributes.class, XrcdInitAttributes.ofContext());
        put(CqInitAttributes.class, CqInitAttributes.of(1));
        put(
                QpInitAttributes.class,
                QpInitAttributes.builder(objects.get(CompletionQueue.class)).build());
        put(QpAttributes.class, Endpoint.only(QpState.ERR));
        put(QpAddress.class, QpAddress.of(objects.get(QueuePair.class), 1, gidIndex));
        put(SrqInitAttributes.class, SrqInitAttributes.basic(1, 1));
        put(AddressVector.class, pathTo(objects.get(Context.class), gidIndex));
        put(WindowBinding.class, WindowBinding.of(objects.get(MemoryRegion.class), 0, 1, Set.of()));
        put(SendRequest[].class, new SendRequest[] {SendRequest.send().build()});
        put(ReceiveRequest[].class, new ReceiveRequest[] {ReceiveRequest.of(1)});
        putList(MemorySegment.class, objects.memory());
        putList(PhysicalBuffer.class, new PhysicalBuffer(1, 1));
        putList(SendRequest.class, SendRequest.send().build());
        putList(ReceiveRequest.class, ReceiveRequest.of(1));
        boolean hasQueues = objects.has(WorkQueue.class);
        put(List.class, hasQueues ? List.of(objects.get(WorkQueue.class)) : List.of());
    }

    private void put(Class<?> type, Object value) {
        byType.put(type.getTypeName(), value);
    }

    private void putList(Class<?> element, Object value) {
        byType.put("java.util.List<" + element.getTypeName() + ">", List.of(value));
    }

    /** Returns arguments for a verb; null for types without a known value. */
    @Nullable
    public Object[] of(VerbCall verb) {
        List<@Nullable Object> values = new ArrayList<>();
        for (Type type : verb.method().getGenericParameterTypes()) {
            values.add(value(type));
        }
        return values.toArray();
    }

    private @Nullable Object value(Type type) {
        if (type instanceof Class<?> one && one.isEnum()) {
            return one.getEnumConstants()[0];
        }
        Object exact = byType.get(type.getTypeName());
        String raw = type.getTypeName().replaceFirst("<.*", "");
        return exact == null ? byType.get(raw) : exact;
    }
}
