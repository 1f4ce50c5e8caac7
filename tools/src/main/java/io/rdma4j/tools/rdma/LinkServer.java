// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdma;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.uverbs.server.UverbsServer;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.EventRegistration;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.Owner;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Serves a device over a network interface until it is deleted; started by {@code rdma link add}, which uses rdma_rxe
 * in the kernel.
 */
final class LinkServer {
    private LinkServer() {}

    /** @throws RdmaException ENODEV, EADDRNOTAVAIL, EPERM, EADDRINUSE: the device cannot be created */
    static void serve(String name, String type, String netdev) throws InterruptedException {
        CountDownLatch deleted = new CountDownLatch(1);
        Host host = Host.create("link " + name);
        host.register(new RxeProvider(List.of(), RxeOptions.DEFAULT));
        Device device = host.newLink(name, type, netdev);
        try (Context held = open(device, netdev);
                UverbsServer server = UverbsServer.open(held.device(), RunDirectory.configured());
                EventRegistration _ = held.registerEventHandler(event -> onEvent(event, server))) {
            server.onDelete(deleted::countDown);
            Runtime.getRuntime().addShutdownHook(new Thread(server::close));
            deleted.await();
        }
    }

    private static void onEvent(AsyncEvent event, UverbsServer server) {
        if (event.type() == EventType.GID_CHANGE) {
            server.addressesChanged();
        }
    }

    private static Context open(Device device, String netdev) {
        try {
            return device.open(Owner.current());
        } catch (RdmaException e) {
            if (e.errno() != Errno.EADDRINUSE) {
                throw e;
            }
            throw new RdmaException(
                    Errno.EADDRINUSE,
                    "another process has the RDMA device of " + netdev
                            + " open, or UDP port 4791 is taken: rdma link shows the"
                            + " devices of this user's processes, and rdma resource show ctx who has them",
                    e);
        }
    }
}
