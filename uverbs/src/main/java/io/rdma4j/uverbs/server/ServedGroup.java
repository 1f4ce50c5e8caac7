// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.sa.SaClient;
import io.rdma4j.sa.SaHandler;
import io.rdma4j.sa.SaRecord;
import io.rdma4j.sa.SaRegistration;
import io.rdma4j.verbs.Device;

/** The membership of a client in a multicast group of the subnet. Session's thread. */
final class ServedGroup implements AutoCloseable {
    private final GeneralServices services;
    private final SaClient client;
    private final SaRegistration membership;

    /** @param handler gets each result; must not block */
    ServedGroup(Device device, int port, SaRecord member, SaHandler handler) {
        services = GeneralServices.open(device, port);
        try {
            client = SaClient.open(services);
        } catch (RuntimeException e) {
            services.close();
            throw e;
        }
        try {
            membership = client.join(member, handler);
        } catch (RuntimeException e) {
            client.close();
            services.close();
            throw e;
        }
    }

    @Override
    public void close() {
        membership.close();
        client.close();
        services.close();
    }
}
