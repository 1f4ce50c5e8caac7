// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pcap;

import java.io.IOException;

/** The file is not a capture, or is damaged. The message describes the fault; the caller adds the file's name. */
public final class CaptureException extends IOException {
    private static final long serialVersionUID = 1L;

    CaptureException(String message) {
        super(message);
    }
}
