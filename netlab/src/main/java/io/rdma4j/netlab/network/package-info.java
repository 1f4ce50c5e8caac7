// SPDX-License-Identifier: Apache-2.0
/**
 * Builds networks inside the JVM: {@link io.rdma4j.netlab.network.Network} creates the machines and links of a
 * topology.
 */
@NullMarked
package io.rdma4j.netlab.network;

import org.jspecify.annotations.NullMarked;
