package io.rdma4j.verbs.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reaches devices that another process serves: what a driver library is to libibverbs ({@code struct verbs_device_ops}). A
 * {@link Provider} makes devices in this JVM, a driver makes the near end of those that {@link RunDirectory} tells of.
 *
 * <p>{@link java.util.ServiceLoader} finds drivers once there is a device that none of the known ones takes; or they are registered
 * with a {@link io.rdma4j.verbs.Host}.
 */
public interface Driver {
    /** {@return a name for messages} */
    String name();

    /** {@return the oldest version of the commands that it speaks ({@code match_min_abi_version})} */
    int minAbiVersion();

    /** {@return the newest version of the commands that it speaks ({@code match_max_abi_version})} */
    int maxAbiVersion();

    /** {@return which devices it is for ({@code match_table}): one line that matches is enough} */
    List<DeviceMatch> matchTable();

    /**
     * Makes the near end of a device ({@code alloc_device}): a new object, which keeps what was found and opens nothing.
     * {@link DeviceOps#dispose} undoes it.
     *
     * @param found matches a line of the table and has a version in the range
     * @return null if there can be none after all
     */
    @Nullable
    DeviceOps allocateDevice(FoundDevice found);
}
