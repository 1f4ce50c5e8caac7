// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.SocketException;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Multicast cases on the Linux driver. */
@ParameterizedClass
@EnumSource
class LinuxUdpMulticastTest extends UdpMulticastCases {
    LinuxUdpMulticastTest(Family family) throws SocketException {
        super(family);
    }

    @Override
    protected UdpDriver driver(UdpUnderlaySettings settings) {
        assumeTrue(LinuxUdpDevice.isSupported(), "this is no Linux, or the JVM may not call it");
        return LinuxUdpDevice.open(settings);
    }
}
