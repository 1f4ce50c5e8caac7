package io.rdma4j.interop.lab;

import java.io.IOException;

/** The lab cannot be built, or something in it does not answer. The message says what, and what the user can do. */
public final class LabException extends IOException {
    private static final long serialVersionUID = 1;

    /** @param message for the user */
    public LabException(String message) {
        super(message);
    }
}
