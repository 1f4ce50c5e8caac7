package io.rdma4j.net;

/** How far the life of a device has come ({@code enum netreg_state}). */
public enum RegistrationState {
    /** Made, and known to nobody but its maker ({@code NETREG_UNINITIALIZED}). */
    UNINITIALIZED,
    /** On the lists of its namespace ({@code NETREG_REGISTERED}). */
    REGISTERED,
    /** Off the lists; who followed it is told to let go ({@code NETREG_UNREGISTERING}). */
    UNREGISTERING,
    /** Out of use; somebody may still hold a reference ({@code NETREG_UNREGISTERED}). */
    UNREGISTERED,
    /** All that it held is given back ({@code NETREG_RELEASED}). */
    RELEASED,
    /** Only somebody to poll for, never registered ({@code NETREG_DUMMY}). */
    DUMMY
}
