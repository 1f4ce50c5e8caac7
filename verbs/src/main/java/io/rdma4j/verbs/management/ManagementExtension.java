// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.management;

import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.HostExtension;

/** Registers the devices of the default host as management beans. */
public final class ManagementExtension implements HostExtension {
    /** Called by {@link java.util.ServiceLoader}. */
    public ManagementExtension() {}

    @Override
    @SuppressWarnings("resource") // the beans stay registered until the JVM ends
    public void attach(Host host) {
        RdmaManagement.register(host);
    }
}
