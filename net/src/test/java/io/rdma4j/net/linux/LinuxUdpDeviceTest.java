package io.rdma4j.net.linux;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.net.driver.UdpDeviceCases;
import io.rdma4j.net.driver.UdpDriver;
import io.rdma4j.net.driver.UdpUnderlaySettings;

/** UDP driver cases on the Linux driver. */
class LinuxUdpDeviceTest extends UdpDeviceCases {
    @Override
    protected UdpDriver driver(UdpUnderlaySettings settings) {
        assumeTrue(LinuxUdpDevice.isSupported(), "this is no Linux, or the JVM may not call it");
        return LinuxUdpDevice.open(settings);
    }
}
