// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

/**
 * Reports that a device was added to a namespace's tree or removed from it ({@code kobject_uevent}).
 *
 * @param action the change
 * @param namespace namespace of the device
 * @param device name of the device
 */
public record Uevent(Action action, NetNamespace namespace, String device) {
    /** Kind of change ({@code enum kobject_action}). */
    public enum Action {
        /** The device was added ({@code KOBJ_ADD}). */
        ADD,
        /** The device was removed ({@code KOBJ_REMOVE}). */
        REMOVE
    }
}
