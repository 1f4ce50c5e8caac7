// SPDX-License-Identifier: Apache-2.0
/**
 * Machines inside the JVM. {@link io.rdma4j.netlab.Machine} combines network devices, IP, the loop and RDMA devices,
 * whose modules do not depend on each other. Commands and topology files configure machines; tools and simulations
 * create them.
 */
@NullMarked
package io.rdma4j.netlab;

import org.jspecify.annotations.NullMarked;
