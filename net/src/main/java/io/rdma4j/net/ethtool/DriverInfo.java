// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ethtool;

/**
 * Describes the driver of a device ({@code ethtool_drvinfo}).
 *
 * @param driver name of the driver
 * @param version version of the driver
 * @param busInfo location of the device: an address or another device; empty if it exists in this JVM only
 */
public record DriverInfo(String driver, String version, String busInfo) {}
