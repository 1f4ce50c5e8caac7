// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import java.net.SocketException;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Multicast cases on the portable driver. */
@ParameterizedClass
@EnumSource
class UdpMulticastTest extends UdpMulticastCases {
    UdpMulticastTest(Family family) throws SocketException {
        super(family);
    }

    @Override
    protected UdpDriver driver(UdpUnderlaySettings settings) {
        return UdpUnderlayDevice.open(settings);
    }
}
