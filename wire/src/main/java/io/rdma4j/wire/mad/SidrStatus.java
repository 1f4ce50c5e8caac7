// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import org.jspecify.annotations.Nullable;

/** Status of a {@link CmSidrRep} (IBA 12.11.2), {@code enum ib_cm_sidr_status}. */
public enum SidrStatus {
    /** The queue pair is valid. */
    SUCCESS(0, "success"),
    /** No program listens for the service. */
    UNSUPPORTED(1, "service ID not supported"),
    /** The program rejects. */
    REJECT(2, "rejected"),
    /** No queue pair is available. */
    NO_QP(3, "no QP"),
    /** Another place; the information is a {@link ClassPortInfo}. */
    REDIRECT(4, "redirect"),
    /** The class version is not supported. */
    UNSUPPORTED_VERSION(5, "unsupported version");

    private final int code;
    private final String text;

    SidrStatus(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** {@return the code on the wire} */
    public int code() {
        return code;
    }

    /** {@return a short description, as programs print it} */
    public String text() {
        return text;
    }

    /**
     * {@return the constant of a code, or null}
     *
     * @param code as on the wire
     */
    public static @Nullable SidrStatus of(int code) {
        for (SidrStatus value : values()) {
            if (value.code == code) {
                return value;
            }
        }
        return null;
    }
}
