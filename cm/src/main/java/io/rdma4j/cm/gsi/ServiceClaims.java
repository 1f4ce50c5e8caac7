// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm.gsi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which manager of a device listens for a service, and which has a port of rdma_cm. Guarded by the router.
 *
 * @param <M> a manager
 */
final class ServiceClaims<M> {
    private record Listen<M>(M client, long serviceId, long mask) {}

    private record Binding<M>(M client, Gid address, boolean reuse) {}

    private static final Gid ANY_IPV4 = Gid.ofIpv4(0);

    /** Listeners of one service ID, and listeners with a mask. */
    private final Map<Long, M> exact = new HashMap<>();

    private final List<Listen<M>> masked = new ArrayList<>();
    private final Map<Long, List<Binding<M>>> ports = new HashMap<>();
    private final Map<M, Integer> counts = new HashMap<>();
    private final int limit;

    /** @param limit maximum number of claims of a manager */
    ServiceClaims(int limit) {
        this.limit = limit;
    }

    /** Adds a claim; the manager has checked its own ones. */
    void listen(M client, long serviceId, long mask) {
        masked.forEach(other -> {
            if (!other.client.equals(client) && ((other.serviceId ^ serviceId) & other.mask & mask) == 0) {
                throw busy(serviceId);
            }
        });
        boolean isTaken = mask == -1
                ? !client.equals(exact.getOrDefault(serviceId, client))
                : exact.entrySet().stream()
                        .anyMatch(entry -> !entry.getValue().equals(client) && (entry.getKey() & mask) == serviceId);
        if (isTaken) {
            throw busy(serviceId);
        }
        count(client);
        if (mask == -1) {
            exact.put(serviceId, client);
        } else {
            masked.add(new Listen<>(client, serviceId, mask));
        }
    }

    private static RdmaException busy(long serviceId) {
        return new RdmaException(
                Errno.EBUSY,
                String.format("service ID %#x of the device has a listener in another manager", serviceId));
    }

    private void count(M client) {
        int count = counts.getOrDefault(client, 0);
        if (count >= limit) {
            throw new RdmaException(
                    Errno.ENOMEM, "a communication manager has " + limit + " claims, which is the limit");
        }
        counts.put(client, count + 1);
    }

    private void uncount(M client) {
        counts.computeIfPresent(client, (_, count) -> count == 1 ? null : count - 1);
    }

    void endListen(M client, long serviceId, long mask) {
        boolean isRemoved =
                mask == -1 ? exact.remove(serviceId, client) : masked.remove(new Listen<>(client, serviceId, mask));
        if (isRemoved) {
            uncount(client);
        }
    }

    @Nullable
    M listener(long serviceId) {
        M one = exact.get(serviceId);
        if (one != null) {
            return one;
        }
        for (Listen<M> listen : masked) {
            if ((serviceId & listen.mask) == listen.serviceId) {
                return listen.client;
            }
        }
        return null;
    }

    /** The rules of {@code cma_check_port}, between managers; each one checks its own ids. */
    void bind(M client, long serviceId, Gid address, boolean reuse) {
        List<Binding<M>> users = ports.getOrDefault(serviceId, List.of());
        for (Binding<M> user : users) {
            boolean isShared = reuse && user.reuse && !user.client.equals(listener(serviceId));
            if (!user.client.equals(client) && !isShared) {
                check(user.address, address, (int) serviceId & 0xFFFF);
            }
        }
        count(client);
        ports.computeIfAbsent(serviceId, _ -> new ArrayList<>()).add(new Binding<>(client, address, reuse));
    }

    private static void check(Gid taken, Gid address, int port) {
        if (isWildcard(taken) || isWildcard(address)) {
            throw new RdmaException(
                    Errno.EADDRNOTAVAIL, "port " + port + " is used by another process: one address is a wildcard");
        }
        if (taken.equals(address)) {
            throw new RdmaException(
                    Errno.EADDRINUSE, "port " + port + " of " + address + " is used by another process");
        }
    }

    private static boolean isWildcard(Gid address) {
        return address.isZero() || address.equals(ANY_IPV4);
    }

    void release(M client, long serviceId, Gid address) {
        List<Binding<M>> users = ports.get(serviceId);
        if (users == null) {
            return;
        }
        for (int i = 0; i < users.size(); i++) {
            Binding<M> user = users.get(i);
            if (user.client.equals(client) && user.address.equals(address)) {
                users.remove(i);
                uncount(client);
                break;
            }
        }
        if (users.isEmpty()) {
            ports.remove(serviceId);
        }
    }

    /** Ends all claims of a manager. */
    void removeAll(M client) {
        exact.values().removeIf(client::equals);
        masked.removeIf(listen -> listen.client.equals(client));
        ports.values().removeIf(users -> {
            users.removeIf(user -> user.client.equals(client));
            return users.isEmpty();
        });
        counts.remove(client);
    }
}
