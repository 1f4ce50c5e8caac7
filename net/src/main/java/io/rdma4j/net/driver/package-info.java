/**
 * Drivers of network devices: {@link io.rdma4j.net.driver.VethDevice} inside the JVM,
 * {@link io.rdma4j.net.driver.UdpUnderlayDevice} over UDP sockets of the operating system,
 * {@link io.rdma4j.net.driver.QemuStreamDevice} and {@link io.rdma4j.net.driver.QemuDatagramDevice} for the adapters of
 * virtual machines, {@link io.rdma4j.net.driver.VxlanDevice} over an IP network.
 *
 * <p>Code that assembles a host uses this package. The package depends on sockets and IP headers, not on the protocols
 * above.
 */
@NullMarked
package io.rdma4j.net.driver;

import org.jspecify.annotations.NullMarked;
