// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.device;

/** Registration state of a device ({@code enum netreg_state}). */
public enum RegistrationState {
    /** Created and not yet registered ({@code NETREG_UNINITIALIZED}). */
    UNINITIALIZED,
    /** Registered, on the lists of its namespace ({@code NETREG_REGISTERED}). */
    REGISTERED,
    /** Removed from the lists; listeners are notified to release their references ({@code NETREG_UNREGISTERING}). */
    UNREGISTERING,
    /** Unregistered, references may remain ({@code NETREG_UNREGISTERED}). */
    UNREGISTERED,
    /** All its resources are released ({@code NETREG_RELEASED}). */
    RELEASED,
    /** Exists for polling only, never registered ({@code NETREG_DUMMY}). */
    DUMMY
}
