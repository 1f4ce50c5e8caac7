package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.NodeType;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;

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
 */
public record FoundDevice(
        String systemName,
        String name,
        Path path,
        int index,
        int abiVersion,
        NodeType nodeType,
        int driverId,
        FileTime created) {
    /** {@return where a process connects to open it: a socket in place of {@code /dev/infiniband/uverbsN}} */
    public Path endpoint() {
        return path.resolve(RunDirectory.ENDPOINT);
    }
}
