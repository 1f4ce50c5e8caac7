package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.NodeType;
import io.rdma4j.verbs.Owner;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Collections;
import java.util.List;

/**
 * What discovery knows of a device that another process serves. Answers to {@code struct verbs_sysfs_dev}; immutable. Two are equal
 * if they are the same entry, so one of the same name that is made anew is another device.
 *
 * @param systemName {@code sysfs_name}: name of its entry, such as {@code uverbs0}
 * @param name {@code ibdev_name}: what programs call the device
 * @param path {@code ibdev_path}: the entry, a folder
 * @param index {@code ibdev_idx}: the number the system has for it; -1, for a folder has none
 * @param abiVersion {@code abi_ver}: of the commands that the endpoint understands
 * @param nodeType {@code node_type}
 * @param driverId {@code driver_id}, see {@link DeviceOps#driverId}; 0 if it is not known
 * @param created {@code time_created}
 * @param server the process that serves it; number 0 if that is not known
 * @param ofThisProcess whether that is this process
 * @param endpoints its UDP addresses in the order of the GID table; empty if it has none
 */
public record FoundDevice(
        String systemName,
        String name,
        Path path,
        int index,
        int abiVersion,
        NodeType nodeType,
        int driverId,
        FileTime created,
        Owner server,
        boolean ofThisProcess,
        List<InetSocketAddress> endpoints) {
    /** Copies the list. */
    public FoundDevice {
        endpoints = List.copyOf(endpoints);
    }

    /**
     * {@return true if it has a UDP address of a device of this process, so that they cannot both be open}
     *
     * @param device of this process
     */
    public boolean hasAddressOf(DeviceOps device) {
        return !Collections.disjoint(endpoints, device.endpoints());
    }

    /** {@return where a process connects to open it: a socket in place of {@code /dev/infiniband/uverbsN}} */
    public Path endpoint() {
        return path.resolve(RunDirectory.ENDPOINT);
    }
}
