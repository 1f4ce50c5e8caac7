// SPDX-License-Identifier: Apache-2.0
/**
 * Machines and their network namespaces. {@link io.rdma4j.net.ns.NetHost} is one machine.
 * {@link io.rdma4j.net.ns.NetNamespace} is a set of devices on it with their own names and indexes, among them a
 * loopback interface.
 *
 * <p>Code that sets up a network calls this package. There is no global state: a JVM may contain any number of
 * machines.
 */
@NullMarked
package io.rdma4j.net.ns;

import org.jspecify.annotations.NullMarked;
