package io.rdma4j.tools.pcap;

import java.io.IOException;

/** A file that is no capture, or a damaged one. The message says what was found; the caller knows the file's name. */
public final class CaptureException extends IOException {
    private static final long serialVersionUID = 1L;

    CaptureException(String message) {
        super(message);
    }
}
