package io.rdma4j.net.ethtool;

/**
 * What drives a device ({@code ethtool_drvinfo}).
 *
 * @param driver its name
 * @param version of it
 * @param busInfo where the device is: an address, another device; empty if it is nowhere but in this JVM
 */
public record DriverInfo(String driver, String version, String busInfo) {}
