// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture.samples.transport;

import java.nio.channels.DatagramChannel;

/** An engine that depends on a socket. */
public record KnowsSockets(DatagramChannel channel) {}
