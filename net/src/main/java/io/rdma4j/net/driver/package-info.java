/**
 * Drivers of network devices: {@link io.rdma4j.net.driver.VethDevice} inside the JVM, {@link io.rdma4j.net.driver.UdpUnderlayDevice} over a UDP socket of the operating system,
 * {@link io.rdma4j.net.driver.QemuStreamDevice} and {@link io.rdma4j.net.driver.QemuDatagramDevice} that the adapters of
 * virtual machines plug into, {@link io.rdma4j.net.driver.VxlanDevice} over an IP network.
 *
 * <p>Whoever assembles a host calls this package. It knows sockets and IP headers, and nothing of what they carry.
 */
@NullMarked
package io.rdma4j.net.driver;

import org.jspecify.annotations.NullMarked;
