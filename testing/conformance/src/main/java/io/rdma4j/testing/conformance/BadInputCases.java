package io.rdma4j.testing.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.DeviceMemory;
import io.rdma4j.verbs.DmaMapping;
import io.rdma4j.verbs.DmaScatterMapping;
import io.rdma4j.verbs.DmaTable;
import io.rdma4j.verbs.FastMemoryRegion;
import io.rdma4j.verbs.FastRegPageList;
import io.rdma4j.verbs.Fmr;
import io.rdma4j.verbs.FmrPool;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.PinnedPages;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WorkQueue;
import io.rdma4j.verbs.XrcDomain;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every verb of every object with what no program should give it: null, closed objects, objects of another context; and every
 * verb of closed objects and contexts. The verbs are found by reflection, so that none is forgotten.
 */
public abstract class BadInputCases extends ConformanceCases {
    /** Parameters that may be null: verb, and number of the parameter. */
    private static final Set<String> MAY_BE_NULL = Set.of(
            "DmaTable.map(MemorySegment, DmaDirection, DmaAttribute[]) 2",
            "DmaTable.map(List, DmaDirection, DmaAttribute[]) 2",
            "DmaTable.tryMap(MemorySegment, DmaDirection, DmaAttribute[]) 2",
            "DmaTable.unmap(long, long, DmaDirection, DmaAttribute[]) 3",
            "DmaTable.unmap(DmaScatterMapping, int, DmaDirection, DmaAttribute[]) 3",
            "PinnedPages.map(DmaDirection, DmaAttribute[]) 1",
            "Context.createCq(int, CompletionChannel) 1",
            "Context.createCq(int, CompletionChannel, int) 1",
            "XrcDomain.openQp(int, Object, Consumer) 1",
            "XrcDomain.openQp(int, Object, Consumer) 2");

    /** What goes on when the object is closed: looking at what is known of it, and giving back what was taken. */
    private static final Set<String> STILL_ALLOWED = Set.of(
            "Context.acknowledgeAsyncEvent(AsyncEvent)",
            "Context.unregisterEventHandler(Consumer)",
            "CompletionQueue.acknowledgeEvents(int)",
            "DmaTable.isMappingError(long)",
            "DmaTable.debug(boolean)");

    /** Names of verbs that do something, or ask the device, without a parameter. */
    private static final List<String> ACTIONS = List.of(
            "query", "allocate", "create", "open", "start", "getAsync", "getEvent", "flush", "unmap", "sync", "ring");

    protected BadInputCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    private VerbsObjects objects(Context context) {
        return closing(new VerbsObjects(context, target().gidIndex()));
    }

    private VerbArguments arguments(VerbsObjects objects) {
        return new VerbArguments(objects, target().gidIndex());
    }

    private static void require(VerbsObjects objects, Class<?> type) {
        Assumptions.assumeTrue(objects.has(type), () -> "the device has no " + type.getSimpleName());
    }

    private static void assertInvalid(
            SoftAssertions softly, String call, @Nullable Throwable outcome, String... messages) {
        softly.assertThat(outcome).as(call).isInstanceOf(RdmaException.class);
        if (outcome instanceof RdmaException refusal) {
            softly.assertThat(refusal.errno())
                    .as(call + ": " + refusal.getMessage())
                    .isEqualTo(Errno.EINVAL);
            softly.assertThat(refusal.getMessage())
                    .as(call)
                    .matches(text -> Arrays.stream(messages).anyMatch(text::contains), "says " + List.of(messages));
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Context.class,
                ProtectionDomain.class,
                CompletionChannel.class,
                CompletionQueue.class,
                SharedReceiveQueue.class,
                XrcDomain.class,
                WorkQueue.class,
                QueuePair.class,
                AddressHandle.class,
                MemoryRegion.class,
                MemoryWindow.class,
                FastMemoryRegion.class,
                DeviceMemory.class,
                DmaTable.class,
                DmaMapping.class,
                DmaScatterMapping.class,
                PinnedPages.class,
                FastRegPageList.class,
                Fmr.class,
                FmrPool.class
            })
    void nullIsRefusedByName(Class<?> type) {
        VerbsObjects objects = objects(context());
        require(objects, type);
        VerbArguments arguments = arguments(objects);
        SoftAssertions softly = new SoftAssertions();
        for (VerbCall verb : VerbCall.of(type)) {
            for (int i = 0; i < verb.parameters(); i++) {
                if (!verb.parameter(i).isPrimitive() && !MAY_BE_NULL.contains(verb + " " + i)) {
                    @Nullable Object[] values = arguments.of(verb);
                    values[i] = null;
                    Throwable outcome = verb.outcome(objects.get(type), values);
                    assertInvalid(softly, verb + " with null for parameter " + i, outcome, "is null", "are null");
                }
            }
        }
        softly.assertAll();
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                ProtectionDomain.class,
                CompletionChannel.class,
                CompletionQueue.class,
                SharedReceiveQueue.class,
                XrcDomain.class,
                WorkQueue.class,
                QueuePair.class,
                AddressHandle.class,
                MemoryRegion.class,
                MemoryWindow.class,
                FastMemoryRegion.class,
                DeviceMemory.class,
                DmaMapping.class,
                DmaScatterMapping.class,
                PinnedPages.class,
                FastRegPageList.class,
                Fmr.class,
                FmrPool.class
            })
    void aClosedObjectRefusesEveryVerb(Class<?> type) {
        VerbsObjects open = objects(context());
        require(open, type);
        VerbsObjects closed = new VerbsObjects(context(), target().gidIndex());
        closed.close();
        assertAllRefused(closed.get(type), type, arguments(open));
    }

    @ParameterizedTest
    @ValueSource(classes = {Context.class, DmaTable.class})
    void aClosedContextRefusesEveryVerb(Class<?> type) {
        Context closed = context().device().open();
        VerbsObjects objects = new VerbsObjects(closed, target().gidIndex());
        require(objects, type);
        objects.close();
        closed.close();
        assertAllRefused(objects.get(type), type, arguments(objects(context())));
    }

    private static void assertAllRefused(Object closed, Class<?> type, VerbArguments arguments) {
        SoftAssertions softly = new SoftAssertions();
        for (VerbCall verb : VerbCall.of(type)) {
            boolean acts = verb.parameters() > 0 || ACTIONS.stream().anyMatch(verb.text()::startsWith);
            if (acts && !STILL_ALLOWED.contains(verb.toString())) {
                assertInvalid(softly, verb.toString(), verb.outcome(closed, arguments.of(verb)), "is closed");
            }
        }
        softly.assertAll();
    }

    /** The parameters that are objects, among them the one element of a list. */
    @ParameterizedTest
    @ValueSource(
            classes = {Context.class, ProtectionDomain.class, MemoryWindow.class, FastMemoryRegion.class, DmaTable.class
            })
    void objectsThatAreClosedOrOfAnotherContextAreRefused(Class<?> type) {
        VerbsObjects own = objects(context());
        VerbsObjects foreign = objects(closing(context().device().open()));
        require(own, type);
        VerbsObjects closed = new VerbsObjects(context(), target().gidIndex());
        closed.close();
        SoftAssertions softly = new SoftAssertions();
        int found = 0;
        for (VerbCall verb : VerbCall.of(type)) {
            for (int i = 0; i < verb.parameters(); i++) {
                Class<?> parameter = verb.parameter(i);
                if (own.has(parameter) && makesWhatTheDeviceHas(own, verb)) {
                    found++;
                    @Nullable Object[] values = arguments(own).of(verb);
                    values[i] = foreign.get(parameter);
                    assertInvalid(
                            softly,
                            verb + " with a foreign " + parameter.getSimpleName(),
                            verb.outcome(own.get(type), values),
                            "another context",
                            "different protection domains");
                    values[i] = closed.get(parameter);
                    assertInvalid(
                            softly,
                            verb + " with a closed " + parameter.getSimpleName(),
                            verb.outcome(own.get(type), values),
                            "is closed",
                            "different protection domains");
                }
            }
        }
        softly.assertAll();
        assertThat(found).isPositive();
    }

    private static boolean makesWhatTheDeviceHas(VerbsObjects objects, VerbCall verb) {
        Class<?> made = verb.method().getReturnType();
        return !AutoCloseable.class.isAssignableFrom(made) || objects.has(made);
    }
}
