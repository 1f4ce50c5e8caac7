package io.rdma4j.net.loop;

import io.rdma4j.net.NetDevice;

/** A device that a worker waits for, and the vector that this raises. */
record DeviceInterrupt(NetDevice device, InterruptVector vector) {}
