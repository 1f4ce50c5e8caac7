// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import java.util.Map;

/**
 * Attributes of a driver in a sysfs directory of its device's node ({@code attribute_group}).
 *
 * @param name name of the directory; empty for the node's own directory
 * @param attributes attributes by name
 */
public record AttributeGroup(String name, Map<String, DeviceAttribute> attributes) {
    static final AttributeGroup NONE = new AttributeGroup("", Map.of());

    /** Copies the map. */
    public AttributeGroup {
        attributes = Map.copyOf(attributes);
    }
}
