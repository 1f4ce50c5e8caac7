// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which agent receives which unsolicited datagrams. Guarded by the port.
 *
 * @param <A> agent
 */
final class AgentTable<A> {
    /** {@code MAX_MGMT_OUI} of Linux. */
    private static final int MAX_OUIS = 8;

    private record Key(int classVersion, int mgmtClass, int oui, int method) {}

    private final Map<Key, A> agents = new HashMap<>();

    /** @throws RdmaException EINVAL if another agent has one of the methods, or at the limit of OUIs */
    void check(MadRegistration registration) {
        for (int method : registration.methods()) {
            if (agents.containsKey(key(registration, method))) {
                throw new RdmaException(
                        Errno.EINVAL,
                        String.format(
                                "method 0x%02x of class 0x%02x version %d is registered by another agent",
                                method, registration.mgmtClass(), registration.classVersion()));
            }
        }
        Set<Integer> ouis = agents.keySet().stream()
                .filter(key -> key.mgmtClass == registration.mgmtClass())
                .map(Key::oui)
                .collect(Collectors.toSet());
        if (MadClass.hasOui(registration.mgmtClass())
                && !ouis.contains(registration.oui())
                && ouis.size() >= MAX_OUIS) {
            throw new RdmaException(
                    Errno.EINVAL,
                    String.format(
                            "class 0x%02x has agents of %d OUIs already: the limit is %d",
                            registration.mgmtClass(), ouis.size(), MAX_OUIS));
        }
    }

    private static Key key(MadRegistration registration, int method) {
        return new Key(registration.classVersion(), registration.mgmtClass(), registration.oui(), method);
    }

    void add(MadRegistration registration, A agent) {
        registration.methods().forEach(method -> agents.put(key(registration, method), agent));
    }

    void remove(A agent) {
        agents.values().removeIf(agent::equals);
    }

    @Nullable
    A find(MemorySegment datagram) {
        return agents.get(new Key(
                Mad.CLASS_VERSION.getInt(datagram, 0),
                Mad.MGMT_CLASS.getInt(datagram, 0),
                MadFormat.oui(datagram),
                Mad.METHOD.getInt(datagram, 0) & ~MadMethod.RESPONSE));
    }
}
