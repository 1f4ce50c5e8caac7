// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

/**
 * Extension of the default host that the user enables with a property, such as management beans. Loaded with
 * {@link java.util.ServiceLoader}.
 */
public interface HostExtension {
    /**
     * Attaches the extension to the host; called once, by the thread that creates the host.
     *
     * @param host the default host, which exists until the JVM ends
     */
    void attach(Host host);
}
