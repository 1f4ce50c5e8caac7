// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.management;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Guid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.Client;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * Registers a management bean for each device of a host, and unregisters it when the device is removed. Any thread.
 *
 * <p>The default host has these beans if the system property {@code rdma4j.jmx} is {@code on}, or if the JVM was
 * started with a remote management agent.
 */
public final class RdmaManagement implements Client, AutoCloseable {
    private static final int PORT = 1;

    private final Host host;
    private final MBeanServer server;

    private RdmaManagement(Host host, MBeanServer server) {
        this.host = host;
        this.server = server;
    }

    /**
     * Registers the present and future devices of a host at the platform's MBean server.
     *
     * @param host the host
     * @return the registration; the caller closes it to unregister the beans
     * @throws RdmaException EINVAL if the host is closed
     */
    public static RdmaManagement register(Host host) {
        RdmaManagement management = new RdmaManagement(host, ManagementFactory.getPlatformMBeanServer());
        host.registerClient(management);
        return management;
    }

    @Override
    public String name() {
        return "management beans";
    }

    @Override
    public void add(Device device) {
        try {
            ObjectName name = objectName(device);
            if (!server.isRegistered(name)) {
                server.registerMBean(new Bean(device), name);
            }
        } catch (JMException e) {
            throw new RdmaException(Errno.EIO, device + " has no management bean", e);
        }
    }

    @Override
    public void remove(Device device, @Nullable Object data) {
        try {
            server.unregisterMBean(objectName(device));
        } catch (InstanceNotFoundException e) {
            // Another host of this JVM had a device of the same name and has unregistered the bean.
        } catch (JMException e) {
            throw new RdmaException(Errno.EIO, "the management bean of " + device + " stays", e);
        }
    }

    private static ObjectName objectName(Device device) throws JMException {
        return new ObjectName("io.rdma4j:type=Device,name=" + ObjectName.quote(device.name()));
    }

    /** Unregisters the beans. */
    @Override
    public void close() {
        host.unregisterClient(this);
    }

    /** The bean of a device. */
    private record Bean(Device device) implements RdmaDeviceMXBean {
        @Override
        public String getName() {
            return device.name();
        }

        @Override
        public String getNodeGuid() {
            return Guid.toString(device.guid());
        }

        @Override
        public boolean isPresent() {
            return device.isPresent();
        }

        @Override
        public int getOpenContexts() {
            return device.contexts().size();
        }

        @Override
        public String getPortState() {
            List<Context> open = device.contexts();
            return open.isEmpty() ? "" : open.getFirst().queryPort(PORT).state().name();
        }

        @Override
        public Map<String, Long> getCounters() {
            List<Context> open = device.contexts();
            return open.isEmpty() ? Map.of() : open.getFirst().queryHwCounters(PORT);
        }

        @Override
        public Map<String, Integer> getResources() {
            Map<String, Integer> resources = new TreeMap<>();
            device.resources()
                    .forEach(resource -> resources.merge(resource.kind().label(), 1, Integer::sum));
            return resources;
        }
    }
}
