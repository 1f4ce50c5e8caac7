// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.transmit;

import io.rdma4j.packet.PacketDevice;

/** A device with transmit queues. */
public interface TransmittingDevice extends PacketDevice {
    /** {@return its transmit queues} */
    TransmitQueues transmitQueues();
}
