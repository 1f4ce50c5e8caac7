// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Notifies the clients of a host of added and removed devices. Additions are reported in the order of registration,
 * removals in reverse order. Used under the lock of the host.
 */
@SuppressWarnings("ReferenceEquality") // clients are compared by identity
final class ClientRegistry {
    private static final Logger LOG = System.getLogger(ClientRegistry.class.getName());

    private final List<Client> clients = new ArrayList<>();

    /** @throws RdmaException EEXIST if the client is registered already */
    void register(Client client, Collection<Device> devices) {
        if (contains(client)) {
            throw new RdmaException(Errno.EEXIST, "client \"" + client.name() + "\" is registered already");
        }
        clients.add(client);
        devices.forEach(device -> add(client, device));
    }

    /** @throws RdmaException EINVAL if the same object was not registered */
    void unregister(Client client, Collection<Device> devices) {
        if (!contains(client)) {
            throw new RdmaException(Errno.EINVAL, "client \"" + client.name() + "\" is not registered");
        }
        clients.removeIf(other -> other == client);
        List.copyOf(devices).reversed().forEach(device -> remove(client, device));
    }

    boolean contains(Client client) {
        return clients.stream().anyMatch(other -> other == client);
    }

    void added(Device device) {
        List.copyOf(clients).forEach(client -> add(client, device));
    }

    void removed(Device device) {
        List.copyOf(clients).reversed().forEach(client -> remove(client, device));
    }

    private static void add(Client client, Device device) {
        try {
            client.add(device);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "client " + client.name() + " failed when " + device + " was added", e);
        }
    }

    private static void remove(Client client, Device device) {
        try {
            client.remove(device, device.takeClientData(client));
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "client " + client.name() + " failed when " + device + " was removed", e);
        }
    }
}
