// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

/** UDP driver cases on the portable driver. */
class UdpUnderlayDeviceTest extends UdpDeviceCases {
    @Override
    protected UdpDriver driver(UdpUnderlaySettings settings) {
        return UdpUnderlayDevice.open(settings);
    }
}
