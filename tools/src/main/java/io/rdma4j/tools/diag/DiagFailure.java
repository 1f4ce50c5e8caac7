// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A request was not answered, or its answer is of no use. The tool ends with exit code 255. */
final class DiagFailure extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    private final @Nullable String warning;
    private final int status;

    /** @param what behind {@code TOOL: iberror: failed:} */
    DiagFailure(String what) {
        this(what, null, 0);
    }

    /**
     * @param warning line before it, behind {@code ibwarn: [PID]}; null for none
     * @param status of the answer, 16 bits; -1 if there was none
     */
    DiagFailure(String what, @Nullable String warning, int status) {
        super(what);
        this.warning = warning;
        this.status = status;
    }

    /** Returns the status of an answer; -1 if there was none, 0 for another failure. */
    int status() {
        return status;
    }

    @Nullable
    String warning() {
        return warning;
    }
}
