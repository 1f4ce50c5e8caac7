package io.rdma4j.testing.architecture.samples.transport;

import java.nio.channels.DatagramChannel;

/** An engine that sends by itself. */
public record KnowsSockets(DatagramChannel channel) {}
