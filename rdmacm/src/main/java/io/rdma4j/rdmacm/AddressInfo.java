// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.QpType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Addresses for an id, and the kind of its queue pair; immutable. Corresponds to {@code struct rdma_addrinfo}.
 *
 * {@snippet :
 * AddressInfo info = AddressInfo.find("storage1", "7471", AddressHints.NONE).getFirst();
 * id.resolveAddress(info.source(), info.destination(), 2000);
 * }
 *
 * @param flags {@code ai_flags}: {@link AddressFlag#PASSIVE} if the addresses are for a listener, otherwise empty
 * @param family {@code ai_family}; null if there is no address
 * @param qpType {@code ai_qp_type}
 * @param portSpace {@code ai_port_space}
 * @param source {@code ai_src_addr}: own address, the wildcard for all; null to let the route decide
 * @param destination {@code ai_dst_addr}: address of the peer; null for a listener
 */
public record AddressInfo(
        Set<AddressFlag> flags,
        @Nullable AddressFamily family,
        QpType qpType,
        PortSpace portSpace,
        @Nullable InetSocketAddress source,
        @Nullable InetSocketAddress destination) {
    /** Copies the set. */
    public AddressInfo {
        flags = Set.copyOf(flags);
    }

    /** {@return true if the addresses are for a listener} */
    public boolean isPassive() {
        return flags.contains(AddressFlag.PASSIVE);
    }

    /**
     * Looks up a name. Waits for the name service. Corresponds to {@code rdma_getaddrinfo}, which returns the first
     * result only.
     *
     * @param node name or address; null for the wildcard of a listener, and otherwise for the loopback address
     * @param service port number in decimal digits, or name in {@code /etc/services}; null for port 0
     * @param hints what the results should be; null for {@link AddressHints#NONE}
     * @return one result for each address, the preferred one first; at least one
     * @throws RdmaException EINVAL if nothing is given, or the service is neither a port number nor one that this host
     *     knows for the kind of queue pair ({@code EAI_SERVICE}); EADDRNOTAVAIL if the name has no address of the
     *     family ({@code EAI_NONAME}); EOPNOTSUPP for {@link AddressFlag#SA}
     */
    public static List<AddressInfo> find(
            @Nullable String node, @Nullable String service, @Nullable AddressHints hints) {
        if (node == null && service == null && hints == null) {
            throw IdErrors.invalid("an address needs a node, a service or hints");
        }
        AddressHints wanted = hints == null ? AddressHints.NONE : hints;
        if (wanted.flags().contains(AddressFlag.SA)) {
            throw new RdmaException(Errno.EOPNOTSUPP, "RoCE has no subnet administrator that knows services by name");
        }
        if (node == null && service == null) {
            InetSocketAddress known = wanted.destination() == null ? wanted.source() : wanted.destination();
            AddressFamily family = known == null ? wanted.family() : AddressFamily.of(known.getAddress());
            return List.of(of(wanted, wanted.flags(), family, wanted.source(), wanted.destination()));
        }
        int port = service == null ? 0 : ServiceNames.ofHost().port(service, protocol(wanted));
        List<AddressInfo> found = new ArrayList<>();
        for (InetAddress address : addresses(node, wanted)) {
            AddressFamily family = AddressFamily.of(address);
            if (wanted.family() == null || wanted.family() == family) {
                found.add(of(wanted, family, new InetSocketAddress(address, port)));
            }
        }
        if (found.isEmpty()) {
            throw new RdmaException(Errno.EADDRNOTAVAIL, node + " has no address of family " + wanted.family());
        }
        return found;
    }

    private static AddressInfo of(AddressHints hints, AddressFamily family, InetSocketAddress address) {
        return hints.flags().contains(AddressFlag.PASSIVE)
                ? of(hints, Set.of(AddressFlag.PASSIVE), family, address, null)
                : of(hints, Set.of(), family, hints.source(), address);
    }

    private static AddressInfo of(
            AddressHints hints,
            Set<AddressFlag> flags,
            @Nullable AddressFamily family,
            @Nullable InetSocketAddress source,
            @Nullable InetSocketAddress destination) {
        PortSpace space = hints.portSpace();
        QpType type = hints.qpType();
        if (space == null) {
            space = type == QpType.UD ? PortSpace.UDP : PortSpace.TCP;
        }
        return new AddressInfo(flags, family, type == null ? space.qpType() : type, space, source, destination);
    }

    /** The protocol whose services the host lists for this kind of queue pair. */
    private static String protocol(AddressHints hints) {
        PortSpace space = hints.portSpace();
        boolean isDatagram = hints.qpType() == QpType.UD || space != null && space.qpType() == QpType.UD;
        return isDatagram ? "udp" : "tcp";
    }

    private static List<InetAddress> addresses(@Nullable String node, AddressHints hints) {
        try {
            if (node == null) {
                return hints.flags().contains(AddressFlag.PASSIVE)
                        ? List.of(InetAddress.ofLiteral("0.0.0.0"), InetAddress.ofLiteral("::"))
                        : List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("::1"));
            }
            return hints.flags().contains(AddressFlag.NUMERIC_HOST)
                    ? List.of(InetAddress.ofLiteral(node))
                    : List.of(InetAddress.getAllByName(node));
        } catch (IllegalArgumentException e) {
            throw new RdmaException(Errno.EADDRNOTAVAIL, node + " is no address", e);
        } catch (UnknownHostException e) {
            throw new RdmaException(Errno.EADDRNOTAVAIL, "the name " + node + " is not known", e);
        }
    }
}
