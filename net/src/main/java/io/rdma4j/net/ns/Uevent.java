package io.rdma4j.net.ns;

/**
 * A node of a namespace's tree came, went or moved ({@code kobject_uevent}).
 *
 * @param action what happened
 * @param namespace whose tree
 * @param device name of the device
 */
public record Uevent(Action action, NetNamespace namespace, String device) {
    /** What may happen ({@code enum kobject_action}). */
    public enum Action {
        /** A device is there ({@code KOBJ_ADD}). */
        ADD,
        /** It is gone ({@code KOBJ_REMOVE}). */
        REMOVE
    }
}
