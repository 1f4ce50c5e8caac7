// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.device;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.conformance.harness.VerbArguments;
import io.rdma4j.testing.conformance.harness.VerbCall;
import io.rdma4j.testing.conformance.harness.VerbsObjects;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.kernel.DmaTable;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Calls every verb of every object with invalid arguments: null, closed objects, objects of another context. Calls also
 * every verb of closed objects and contexts. Reflection finds the verbs, so that none is missing.
 */
public abstract class BadInputCases extends ConformanceCases {
    /** Parameters that may be null: verb, and index of the parameter. */
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

    /** Verbs that closed objects still permit: reading known values, and releasing resources. */
    private static final Set<String> STILL_ALLOWED = Set.of(
            "Context.acknowledgeAsyncEvent(AsyncEvent)",
            "Context.unregisterEventHandler(Consumer)",
            "CompletionQueue.acknowledgeEvents(int)",
            "DmaTable.isMappingError(long)",
            "DmaTable.debug(boolean)");

    /** Prefixes of verbs without parameters that change something or query the device. */
    private static final List<String> ACTIONS = List.of(
            "query", "allocate", "create", "open", "start", "getAsync", "getEvent", "flush", "unmap", "sync", "ring");

    protected BadInputCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    private VerbsObjects objects(Context context) {
        return closing(new VerbsObjects(target(), context));
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

    static List<Class<?>> kinds() {
        return VerbsObjects.KINDS;
    }

    /** Kinds that the program closes. A context has a separate case, and its table of DMA mappings ends with it. */
    static List<Class<?>> kindsThatAreClosed() {
        return VerbsObjects.KINDS.stream()
                .filter(kind -> kind != Context.class && kind != DmaTable.class)
                .toList();
    }

    static List<Class<?>> kindsThatTakeObjects() {
        return VerbsObjects.KINDS.stream()
                .filter(kind -> VerbCall.of(kind).stream().anyMatch(verb -> verb.takesOneOf(VerbsObjects.KINDS)))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("kinds")
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
    @MethodSource("kindsThatAreClosed")
    void aClosedObjectRefusesEveryVerb(Class<?> type) {
        VerbsObjects open = objects(context());
        require(open, type);
        VerbsObjects closed = new VerbsObjects(target(), context());
        closed.close();
        assertAllRefused(closed.get(type), type, arguments(open));
    }

    @ParameterizedTest
    @ValueSource(classes = {Context.class, DmaTable.class})
    void aClosedContextRefusesEveryVerb(Class<?> type) {
        Context closed = context().device().open();
        VerbsObjects objects = new VerbsObjects(target(), closed);
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

    /**
     * Tests parameters that are objects, including the single element of a list. Other contexts are one of the same
     * device and the peer's.
     */
    @ParameterizedTest
    @MethodSource("kindsThatTakeObjects")
    void objectsThatAreClosedOrOfAnotherContextAreRefused(Class<?> type) {
        VerbsObjects own = objects(context());
        VerbsObjects foreign = objects(closing(context().device().open()));
        VerbsObjects peers = objects(target().second());
        require(own, type);
        VerbsObjects closed = new VerbsObjects(target(), context());
        closed.close();
        SoftAssertions softly = new SoftAssertions();
        for (VerbCall verb : VerbCall.of(type)) {
            for (int i = 0; i < verb.parameters(); i++) {
                if (own.has(verb.parameter(i)) && makesWhatTheDeviceHas(own, verb)) {
                    assertNotTaken(softly, own, type, verb, i, foreign, "another context");
                    assertNotTaken(softly, own, type, verb, i, peers, "another context");
                    assertNotTaken(softly, own, type, verb, i, closed, "is closed");
                }
            }
        }
        softly.assertAll();
    }

    private void assertNotTaken(
            SoftAssertions softly,
            VerbsObjects own,
            Class<?> type,
            VerbCall verb,
            int parameter,
            VerbsObjects others,
            String message) {
        Class<?> kind = verb.parameter(parameter);
        @Nullable Object[] values = arguments(own).of(verb);
        values[parameter] = others.get(kind);
        Throwable outcome = verb.outcome(own.get(type), values);
        String call = verb + " with a " + kind.getSimpleName() + " that is not good (" + message + ")";
        assertInvalid(softly, call, outcome, message, "different protection domains");
    }

    private static boolean makesWhatTheDeviceHas(VerbsObjects objects, VerbCall verb) {
        Class<?> made = verb.method().getReturnType();
        return !AutoCloseable.class.isAssignableFrom(made) || objects.has(made);
    }
}
