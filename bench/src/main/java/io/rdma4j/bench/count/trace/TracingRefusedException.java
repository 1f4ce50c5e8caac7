// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.count.trace;

import java.io.IOException;

/** The system does not permit to trace a child process, for example in a container. */
public final class TracingRefusedException extends IOException {
    private static final long serialVersionUID = 1;

    TracingRefusedException(String message) {
        super(message);
    }
}
