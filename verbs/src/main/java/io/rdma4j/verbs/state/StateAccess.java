// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.verbs.core.Lifecycle;
import java.util.function.Function;

/**
 * Gives the packages of this module the state behind a public object, which the object does not show to programs. The
 * class of the object sets the function that reads it, before there is an object.
 */
public final class StateAccess {
    private static volatile Function<Object, ContextState> contexts = object -> {
        throw unknown(object);
    };
    private static volatile Function<Object, DomainState> domains = object -> {
        throw unknown(object);
    };

    private static volatile Function<Object, Lifecycle> fastRegions = object -> {
        throw unknown(object);
    };

    private StateAccess() {}

    private static IllegalStateException unknown(Object object) {
        return new IllegalStateException("no state behind " + object);
    }

    /** Sets the function that reads the state of a {@link io.rdma4j.verbs.Context}. */
    public static void setContexts(Function<Object, ContextState> reader) {
        contexts = reader;
    }

    /** Sets the function that reads the state of a {@link io.rdma4j.verbs.ProtectionDomain}. */
    public static void setDomains(Function<Object, DomainState> reader) {
        domains = reader;
    }

    /** Sets the function that reads the lifecycle of a {@link io.rdma4j.verbs.FastMemoryRegion}. */
    public static void setFastRegions(Function<Object, Lifecycle> reader) {
        fastRegions = reader;
    }

    /** The lifecycle of a {@link io.rdma4j.verbs.FastMemoryRegion}. */
    public static Lifecycle ofFastRegion(Object region) {
        return fastRegions.apply(region);
    }

    /** The state of a {@link io.rdma4j.verbs.Context}. */
    public static ContextState ofContext(Object context) {
        return contexts.apply(context);
    }

    /** The state of a {@link io.rdma4j.verbs.ProtectionDomain}. */
    public static DomainState ofDomain(Object domain) {
        return domains.apply(domain);
    }
}
