// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** UDP driver cases on the Linux driver. */
class LinuxUdpDeviceTest extends UdpDeviceCases {
    @Override
    protected UdpDriver driver(UdpUnderlaySettings settings) {
        assumeTrue(LinuxUdpDevice.isSupported(), "this is no Linux, or the JVM may not call it");
        return LinuxUdpDevice.open(settings);
    }
}
