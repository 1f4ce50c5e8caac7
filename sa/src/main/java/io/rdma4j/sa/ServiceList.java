// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

import io.rdma4j.base.RdmaException;
import io.rdma4j.wire.mad.MadMethod;
import java.util.ArrayList;
import java.util.List;

/** The services that this port has registered at the SA. Guarded by the client. */
final class ServiceList {
    private final SaRequests requests;
    private final List<Service> services = new ArrayList<>();

    ServiceList(SaRequests requests) {
        this.requests = requests;
    }

    /** A service and the handler that gets the result of each registration. */
    static final class Service {
        private final SaRecord record;
        private final SaHandler handler;

        Service(SaRecord record, SaHandler handler) {
            this.record = record;
            this.handler = handler;
        }
    }

    /** @throws RdmaException EAGAIN while the port has no SA */
    Service add(SaRecord record, SaHandler handler) {
        Service service = new Service(record, handler);
        register(service);
        services.add(service);
        return service;
    }

    private void register(Service service) {
        requests.request(MadMethod.SET, service.record, result -> {
            if (services.contains(service)) {
                requests.report(service.handler, result);
            }
        });
    }

    /** Registers all services again. */
    void repeat() {
        for (Service service : services) {
            try {
                register(service);
            } catch (RdmaException e) {
                requests.report(service.handler, SaResult.of(e.errno()));
            }
        }
    }

    void remove(Service service) {
        if (!services.remove(service)) {
            return;
        }
        try {
            requests.request(MadMethod.DELETE, service.record, _ -> {});
        } catch (RdmaException e) {
            // Without SA there is no registration.
        }
    }
}
