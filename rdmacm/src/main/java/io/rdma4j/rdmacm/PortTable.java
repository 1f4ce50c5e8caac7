// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The ports in use, in each port space. They have nothing to do with the ports of sockets. An id with a device claims
 * its port there, against other processes.
 */
final class PortTable {
    private static final int FIRST_EPHEMERAL = 32_768;
    private static final int LAST_EPHEMERAL = 60_999;
    private static final int FIRST_UNPRIVILEGED = 1024;
    private static final int MAX_PORT = 0xFFFF;
    private static final Gid ANY_IPV4 = Gid.ofIpv4(0);

    private static final int MAX_ATTEMPTS = 100;

    private record Claim(LocalDevice device, long serviceId, Gid address) {}

    private final Map<IdView, List<Claim>> claims = new HashMap<>();
    private final Map<PortSpace, Map<Integer, List<IdView>>> spaces = new EnumMap<>(PortSpace.class);
    private final SplittableRandom random;
    private final RdmaCmOptions options;
    private int lastEphemeral;

    PortTable(SplittableRandom random, RdmaCmOptions options) {
        this.random = random;
        this.options = options;
    }

    static boolean isWildcard(Gid address) {
        return address.isZero() || address.equals(ANY_IPV4);
    }

    /** The port of an id, given or chosen; the id has its address already. */
    int bind(IdView id, Gid address, int port) {
        Map<Integer, List<IdView>> ports = spaces.computeIfAbsent(id.portSpace(), _ -> new HashMap<>());
        int chosen = port == 0 ? ephemeral(ports) : port;
        if (chosen < 0 || chosen > MAX_PORT) {
            throw IdErrors.invalid("port " + port + " does not fit into 16 bits");
        }
        if (chosen < FIRST_UNPRIVILEGED && !options.isPrivileged()) {
            throw new RdmaException(Errno.EACCES, "port " + chosen + " is below " + FIRST_UNPRIVILEGED);
        }
        List<IdView> users = ports.computeIfAbsent(chosen, _ -> new ArrayList<>());
        try {
            users.forEach(user -> check(id, address, user, id.options.reuseAddress()));
        } catch (RdmaException e) {
            if (users.isEmpty()) {
                ports.remove(chosen);
            }
            throw e;
        }
        users.add(id);
        return chosen;
    }

    /**
     * Claims the port of an id at an address of its device. An ephemeral port that another process has is replaced.
     *
     * @param isChosen false if the program has given the port
     * @return the port
     */
    int claim(IdView id, LocalDevice device, Gid address, int port, boolean isChosen) {
        id.localPort = port;
        for (int attempt = 1; ; attempt++) {
            try {
                claim(id, device, address);
                return id.localPort;
            } catch (RdmaException e) {
                releaseHere(id);
                boolean isTaken = e.errno() == Errno.EADDRINUSE || e.errno() == Errno.EADDRNOTAVAIL;
                if (!isTaken || !isChosen || attempt == MAX_ATTEMPTS) {
                    throw e;
                }
                id.localPort = bind(id, address, 0);
            }
        }
    }

    /** Claims the port of an id at a device until the id is released. */
    void claim(IdView id, LocalDevice device, Gid address) {
        Claim claim = new Claim(device, id.portSpace().serviceId(id.localPort), address);
        List<Claim> own = claims.computeIfAbsent(id, _ -> new ArrayList<>());
        if (!own.contains(claim)) {
            device.bindPort(claim.serviceId, address, id.options.reuseAddress());
            own.add(claim);
        }
    }

    /** The port becomes exclusive. */
    void listen(IdView id) {
        users(id.portSpace(), id.localPort).stream()
                .filter(user -> !user.equals(id))
                .forEach(user -> check(id, id.localGid, user, false));
    }

    private static void check(IdView id, Gid address, IdView user, boolean reuses) {
        if (reuses && user.options.reuseAddress() && user.state != RdmaIdState.LISTEN) {
            return;
        }
        Gid taken = user.localGid;
        boolean isOtherFamily = taken.isIpv4() != address.isIpv4();
        if (isOtherFamily && id.options.ipv6Only(address) && user.options.ipv6Only(taken)) {
            return;
        }
        if (isWildcard(taken) || isWildcard(address)) {
            throw new RdmaException(
                    Errno.EADDRNOTAVAIL, "port " + user.localPort + " is used by " + user + ": one is a wildcard");
        }
        if (taken.equals(address) && user.boundInterface == id.boundInterface) {
            throw new RdmaException(Errno.EADDRINUSE, "port " + user.localPort + " is used by " + user);
        }
    }

    private int ephemeral(Map<Integer, List<IdView>> ports) {
        int count = LAST_EPHEMERAL - FIRST_EPHEMERAL + 1;
        int first = random.nextInt(count);
        for (int i = 0; i < count; i++) {
            int port = FIRST_EPHEMERAL + (first + i) % count;
            if (!ports.containsKey(port) && port != lastEphemeral) {
                lastEphemeral = port;
                return port;
            }
        }
        throw new RdmaException(Errno.EADDRNOTAVAIL, "all " + count + " ephemeral ports are in use");
    }

    void release(IdView id) {
        List<Claim> own = claims.remove(id);
        if (own != null) {
            own.forEach(claim -> claim.device.releasePort(claim.serviceId, claim.address));
        }
        releaseHere(id);
    }

    /** Drops the claims on a device that is gone. */
    void deviceRemoved(LocalDevice device) {
        claims.values().forEach(own -> own.removeIf(claim -> claim.device.equals(device)));
    }

    private void releaseHere(IdView id) {
        Map<Integer, List<IdView>> ports = spaces.getOrDefault(id.portSpace(), Map.of());
        List<IdView> users = ports.get(id.localPort);
        if (users != null && users.remove(id) && users.isEmpty()) {
            ports.remove(id.localPort);
        }
    }

    private List<IdView> users(PortSpace space, int port) {
        return spaces.getOrDefault(space, Map.of()).getOrDefault(port, List.of());
    }

    /** The listener for an address of a device; null if there is none. */
    @Nullable
    IdView listener(PortSpace space, int port, Gid address, LocalDevice device) {
        IdView wildcard = null;
        for (IdView user : users(space, port)) {
            if (user.state == RdmaIdState.LISTEN) {
                Gid local = user.localGid;
                if (local.equals(address) && device.equals(user.device)) {
                    return user;
                }
                if (isWildcard(local) && (local.isIpv4() == address.isIpv4() || !user.options.ipv6Only(local))) {
                    wildcard = wildcard == null || local.isIpv4() == address.isIpv4() ? user : wildcard;
                }
            }
        }
        return wildcard;
    }
}
