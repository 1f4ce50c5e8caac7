// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.device;

/** Scope of the atomicity of a device's atomic operations. Corresponds to {@code enum ibv_atomic_cap}. */
public enum AtomicCapability {
    /** No guarantee. */
    NONE(0, "ATOMIC_NONE"),
    /** Atomic with respect to all queue pairs of this device. */
    HCA(1, "ATOMIC_HCA"),
    /** Atomic with respect to all other accesses as well, such as those of CPUs and other devices. */
    GLOB(2, "ATOMIC_GLOB");

    private final int code;
    private final String text;

    AtomicCapability(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** {@return the value of the C constant} */
    public int code() {
        return code;
    }

    /** {@return the name that tools print} */
    public String text() {
        return text;
    }
}
