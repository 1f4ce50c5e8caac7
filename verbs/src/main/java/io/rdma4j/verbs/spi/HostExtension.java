package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.Host;

/**
 * Something that joins the default host of a program when the user asks for it by a property, such as management beans. Found by {@link
 * java.util.ServiceLoader}.
 */
public interface HostExtension {
    /**
     * Joins the host; called once, by the thread that makes it.
     *
     * @param host the default host, which lives as long as the JVM
     */
    void attach(Host host);
}
