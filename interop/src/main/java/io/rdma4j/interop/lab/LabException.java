// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import java.io.IOException;

/**
 * The lab cannot be built, or a part of it does not respond. The message contains the reason and a proposal for the
 * user.
 */
public final class LabException extends IOException {
    private static final long serialVersionUID = 1;

    /** @param message for the user */
    public LabException(String message) {
        super(message);
    }
}
