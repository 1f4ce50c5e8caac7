package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What is to change at a device; what is absent stays as it is, which is what {@code device_modify_mask} says. Answers to
 * {@code struct ib_device_modify}.
 *
 * @param systemImageGuid {@code sys_image_guid}: EUI-64 of the machine or card that the device is part of
 * @param nodeDescription {@code node_desc}: a few words for people, at most 64 bytes in UTF-8; on the wire zeros follow a shorter one
 */
public record DeviceModification(OptionalLong systemImageGuid, Optional<String> nodeDescription) {
    /** Bytes of a node description. */
    public static final int NODE_DESCRIPTION_BYTES = 64;

    /**
     * Checks the description.
     *
     * @throws RdmaException EINVAL if the description is too long, or has a zero in it, where readers stop
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
     * {@return {@code IB_DEVICE_MODIFY_SYS_IMAGE_GUID} alone}
     *
     * @param guid {@code sys_image_guid}: EUI-64
     */
    public static DeviceModification ofSystemImageGuid(long guid) {
        return new DeviceModification(OptionalLong.of(guid), Optional.empty());
    }

    /**
     * {@return {@code IB_DEVICE_MODIFY_NODE_DESC} alone}
     *
     * @param text {@code node_desc}: 64 bytes of UTF-8 at most
     */
    public static DeviceModification ofNodeDescription(String text) {
        return new DeviceModification(OptionalLong.empty(), Optional.of(text));
    }
}
