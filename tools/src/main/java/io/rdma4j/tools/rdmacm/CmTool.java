// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.host.RdmaCmService;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.Rdma;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the tools of this package share: rdma_cm of their host, and addresses as users type them. */
public final class CmTool {
    /** Time for address and route resolution, ms. */
    static final int RESOLVE_MS = 2000;

    private CmTool() {}

    /** rdma_cm of a tool; closing it releases the devices, unless they are those of the process. */
    public record Service(RdmaCmService service, boolean isOwn) implements AutoCloseable {
        /** Returns rdma_cm. */
        public RdmaCm cm() {
            return service.cm();
        }

        @Override
        public void close() {
            if (isOwn) {
                service.close();
            }
        }
    }

    /** rdma_cm of a host: of this process for its devices, or a separate one for a host of a network inside the JVM. */
    @SuppressWarnings("ReferenceEquality") // a host is itself
    public static Service open(Supplier<Host> host) {
        Host own = host.get();
        return own == Rdma.host()
                ? new Service(RdmaCmService.ofProcess(), false)
                : new Service(RdmaCmService.open(own), true);
    }

    /** Family of the addresses of a name. */
    public enum Family {
        /** The first address of the name. */
        ANY,
        /** IPv4 only. */
        IPV4,
        /** IPv6 only. */
        IPV6
    }

    /**
     * Resolves an address that the user typed.
     *
     * @param name name or address; null for the IPv4 wildcard
     * @throws ToolFailure if there is no such name
     */
    public static InetSocketAddress address(@Nullable String name, int port, Family family) throws ToolFailure {
        if (name == null) {
            return new InetSocketAddress(family == Family.IPV6 ? "::" : "0.0.0.0", port);
        }
        try {
            for (InetAddress address : InetAddress.getAllByName(name)) {
                boolean fits = switch (family) {
                    case ANY -> true;
                    case IPV4 -> address instanceof Inet4Address;
                    case IPV6 -> address instanceof Inet6Address;
                };
                if (fits) {
                    return new InetSocketAddress(address, port);
                }
            }
        } catch (UnknownHostException e) {
            throw new ToolFailure("getaddrinfo: " + name + ": Name or service not known", e);
        }
        throw new ToolFailure("getaddrinfo: " + name + " has no address of family " + family);
    }

    /** Reason of a failed call, as {@code perror} prints it. */
    public static ToolFailure failed(String call, RdmaException e) {
        return new ToolFailure(call + ": " + e.errno(), e);
    }

    /**
     * Checks a completion.
     *
     * @param call name of the C function that returned it
     * @throws ToolFailure unless it is successful
     */
    static void check(String call, WorkCompletion completion) throws ToolFailure {
        if (completion.status() != WcStatus.SUCCESS) {
            throw new ToolFailure(call + ": " + completion.status());
        }
    }
}
