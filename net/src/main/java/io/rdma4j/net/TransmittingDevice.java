package io.rdma4j.net;

import io.rdma4j.packet.PacketDevice;

/** A device with transmit queues. */
public interface TransmittingDevice extends PacketDevice {
    /** {@return its transmit queues} */
    TransmitQueues transmitQueues();
}
