// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.verbs.values.QpType;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the results of {@link AddressInfo#find} should be; immutable. Corresponds to the parameter {@code hints} of
 * {@code rdma_getaddrinfo}.
 *
 * @param flags {@code ai_flags}
 * @param family {@code ai_family}; null for both
 * @param qpType {@code ai_qp_type}; null for that of the port space, or RC
 * @param portSpace {@code ai_port_space}; null for that of the type, or TCP
 * @param source {@code ai_src_addr}, copied into the results unless they are for a listener; null for none
 * @param destination {@code ai_dst_addr}, copied if neither a node nor a service is given; null for none
 */
public record AddressHints(
        Set<AddressFlag> flags,
        @Nullable AddressFamily family,
        @Nullable QpType qpType,
        @Nullable PortSpace portSpace,
        @Nullable InetSocketAddress source,
        @Nullable InetSocketAddress destination) {
    /** No wishes: reliable connections to a peer. */
    public static final AddressHints NONE = new AddressHints(Set.of(), null, null, null, null, null);

    /**
     * Copies the set.
     *
     * @throws io.rdma4j.base.RdmaException EINVAL for an address that is a name
     */
    public AddressHints {
        flags = Set.copyOf(flags);
        check(source);
        check(destination);
    }

    private static void check(@Nullable InetSocketAddress address) {
        if (address != null && address.isUnresolved()) {
            throw IdErrors.invalid("the name " + address.getHostString() + " is not resolved");
        }
    }

    /**
     * {@return these hints with further flags}
     *
     * @param more flags to add
     */
    public AddressHints with(AddressFlag... more) {
        Set<AddressFlag> all = EnumSet.noneOf(AddressFlag.class);
        all.addAll(flags);
        all.addAll(List.of(more));
        return new AddressHints(all, family, qpType, portSpace, source, destination);
    }

    /**
     * {@return these hints with another family}
     *
     * @param other {@link #family}
     */
    public AddressHints withFamily(@Nullable AddressFamily other) {
        return new AddressHints(flags, other, qpType, portSpace, source, destination);
    }

    /**
     * {@return these hints for another kind of queue pair}
     *
     * @param type {@link #qpType}
     * @param space {@link #portSpace}
     */
    public AddressHints withService(@Nullable QpType type, @Nullable PortSpace space) {
        return new AddressHints(flags, family, type, space, source, destination);
    }

    /**
     * {@return these hints with other addresses}
     *
     * @param own {@link #source}
     * @param peer {@link #destination}
     */
    public AddressHints withAddresses(@Nullable InetSocketAddress own, @Nullable InetSocketAddress peer) {
        return new AddressHints(flags, family, qpType, portSpace, own, peer);
    }
}
