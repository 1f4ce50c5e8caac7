// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.EndpointTarget;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.wr.CompletionCursor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;

/** Base class of all topics: a target for each case, and objects that are closed in reverse order of their creation. */
public abstract class ConformanceCases {
    /** Maximum wait of a case before it fails. */
    protected static final Duration TIMEOUT = EndpointTarget.TIMEOUT;

    private static final long QUIET_NS = 20_000_000;

    private final Supplier<? extends ConformanceTarget> opener;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private ConformanceTarget target;

    /** @param opener opens a target; called for each case */
    protected ConformanceCases(Supplier<? extends ConformanceTarget> opener) {
        this.opener = opener;
    }

    @BeforeEach
    protected void openTarget() {
        target = opener.get();
        open.push(target);
    }

    /** Closes the target. Fails if a case has left objects open, because they prevent the closing of the contexts. */
    @AfterEach
    protected void closeTarget() throws Exception {
        Exception failure = null;
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    protected final ConformanceTarget target() {
        return target;
    }

    protected final Context context() {
        return target.first();
    }

    /** Closes {@code object} at the end of the case. Closing is idempotent, so the case may close it earlier. */
    protected final <T extends AutoCloseable> T closing(T object) {
        open.push(object);
        return object;
    }

    /** Skips the case if the device does not have the capability. */
    protected final void require(Capability capability) {
        Assumptions.assumeTrue(
                target.capabilities().contains(capability), () -> "the device does not claim " + capability);
    }

    /** Skips the case if the device does not have the capability. */
    protected final void require(@Nullable DeviceCapability capability) {
        Assumptions.assumeTrue(
                capability == null || context().queryDevice().has(capability),
                () -> "the device does not claim " + capability);
    }

    /** Skips the case if the device reports 0 for this limit. */
    protected final void require(DeviceLimit limit) {
        Assumptions.assumeTrue(
                context().queryDevice().limit(limit) > 0, () -> "the device has none: its " + limit.label() + " is 0");
    }

    /** Skips the case if the verb fails because the device does not support it. */
    protected static <T> T supported(Supplier<T> verb) {
        try {
            return verb.get();
        } catch (RdmaException e) {
            Assumptions.assumeFalse(e.errno() == Errno.EOPNOTSUPP, e.getMessage());
            throw e;
        }
    }

    protected final Endpoint endpoint(Context context, EndpointSetup setup) {
        return closing(new Endpoint(target, context, setup));
    }

    /** Two queue pairs, one of each context, in RTS and connected to each other. */
    protected final QpPair connected(EndpointSetup setup, LinkSetup link) {
        QpPair pair = new QpPair(endpoint(target.first(), setup), endpoint(target.second(), setup));
        pair.connect(link);
        return pair;
    }

    protected final QpPair connected() {
        return connected(EndpointSetup.DEFAULT, LinkSetup.DEFAULT);
    }

    /** Returns a queue pair in RTS whose peer does not exist. */
    protected final Endpoint connectedToNobody(EndpointSetup setup, LinkSetup link) {
        Endpoint lonely = endpoint(target.first(), setup);
        Endpoint gone = new Endpoint(target, target.second(), setup);
        lonely.connectTo(gone, link);
        gone.close();
        return lonely;
    }

    /** Waits until {@code condition} holds; fails if it does not. */
    protected final void await(String what, BooleanSupplier condition) {
        target.await(what, condition);
    }

    /** Waits for a completion and reads it with the cursor; it must be the only one. */
    protected final void awaitUnderCursor(CompletionQueue cq, Consumer<CompletionCursor> look) {
        await("a completion under the cursor", () -> {
            try (CompletionCursor wc = cq.startPoll()) {
                if (!wc.next()) {
                    return false;
                }
                look.accept(wc);
                assertThat(wc.next()).isFalse();
                return true;
            }
        });
    }

    /** Asserts that no send completes for some time. */
    protected final void assertStaysQuiet(Endpoint a) {
        long end = System.nanoTime() + QUIET_NS;
        await("some time to pass", () -> {
            assertThat(a.sendCq.poll(1)).isEmpty();
            return System.nanoTime() - end > 0;
        });
    }

    /** Waits until {@code source} returns a value. */
    protected final <T> T awaitValue(String what, Callable<? extends @Nullable T> source) {
        AtomicReference<@Nullable T> found = new AtomicReference<>();
        await(what, () -> {
            try {
                found.set(source.call());
            } catch (Exception e) {
                throw new AssertionError(what, e);
            }
            return found.get() != null;
        });
        return Objects.requireNonNull(found.get());
    }

    /** Waits for an asynchronous event and acknowledges it; acknowledges and ignores earlier ones. */
    protected final AsyncEvent awaitEvent(Endpoint of, EventType type) {
        return awaitEvent(of.context, type);
    }

    /** The same for any object of a context. */
    protected final AsyncEvent awaitEvent(Context of, EventType type) {
        AsyncEvent event;
        do {
            event = awaitValue(type + " of " + of, () -> of.getAsyncEvent(Duration.ZERO));
            of.acknowledgeAsyncEvent(event);
        } while (event.type() != type);
        return event;
    }
}
