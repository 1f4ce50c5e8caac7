package io.rdma4j.net.driver;

/** The portable driver. */
class UdpUnderlayDeviceTest extends UdpDeviceCases {
    @Override
    protected UdpDriver driver(UdpUnderlaySettings settings) {
        return UdpUnderlayDevice.open(settings);
    }
}
