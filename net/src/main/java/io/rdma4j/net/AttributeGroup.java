package io.rdma4j.net;

import java.util.Map;

/**
 * Attributes that a driver shows in a folder of its device's node ({@code attribute_group}).
 *
 * @param name of the folder; empty for the node itself
 * @param attributes by name
 */
public record AttributeGroup(String name, Map<String, Attribute> attributes) {
    static final AttributeGroup NONE = new AttributeGroup("", Map.of());

    /** Keeps a copy of the map. */
    public AttributeGroup {
        attributes = Map.copyOf(attributes);
    }
}
