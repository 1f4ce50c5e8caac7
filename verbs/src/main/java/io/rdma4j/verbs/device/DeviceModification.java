// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.device;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * New values for a device. Absent values stay unchanged, as with {@code device_modify_mask}. Corresponds to
 * {@code struct ib_device_modify}.
 *
 * @param systemImageGuid {@code sys_image_guid}: EUI-64 of the machine or card that the device is part of
 * @param nodeDescription {@code node_desc}: a description for users, at most 64 bytes in UTF-8; padded with zeros on
 *     the wire
 */
public record DeviceModification(OptionalLong systemImageGuid, Optional<String> nodeDescription) {
    /** Maximum length of a node description, in bytes. */
    public static final int NODE_DESCRIPTION_BYTES = 64;

    /**
     * Checks the description.
     *
     * @throws RdmaException EINVAL if the description exceeds 64 bytes or contains a zero byte, which terminates it for
     *     readers
     */
    public DeviceModification {
        nodeDescription.ifPresent(DeviceModification::check);
    }

    private static void check(String text) {
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > NODE_DESCRIPTION_BYTES || text.indexOf('\0') >= 0) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "a node description of " + bytes + " bytes does not fit: at most " + NODE_DESCRIPTION_BYTES
                            + ", none of them 0");
        }
    }

    /**
     * {@return a modification of the system image GUID only} Corresponds to {@code IB_DEVICE_MODIFY_SYS_IMAGE_GUID}.
     *
     * @param guid {@code sys_image_guid}: EUI-64
     */
    public static DeviceModification ofSystemImageGuid(long guid) {
        return new DeviceModification(OptionalLong.of(guid), Optional.empty());
    }

    /**
     * {@return a modification of the node description only} Corresponds to {@code IB_DEVICE_MODIFY_NODE_DESC}.
     *
     * @param text {@code node_desc}: at most 64 bytes of UTF-8
     */
    public static DeviceModification ofNodeDescription(String text) {
        return new DeviceModification(OptionalLong.empty(), Optional.of(text));
    }
}
