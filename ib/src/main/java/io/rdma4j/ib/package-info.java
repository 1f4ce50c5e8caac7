// SPDX-License-Identifier: Apache-2.0
/**
 * InfiniBand devices on a subnet inside the JVM. {@link io.rdma4j.ib.IbFabric} holds the switches, links and devices of
 * a subnet, and one event loop drives them all, in real or in virtual time. {@link io.rdma4j.ib.IbDevice} is a channel
 * adapter with one port.
 */
@NullMarked
package io.rdma4j.ib;

import org.jspecify.annotations.NullMarked;
