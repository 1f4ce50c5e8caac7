// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools.dropin;

/** A program did not do what it should. The message says what it printed. */
final class CaseFailure extends Exception {
    private static final long serialVersionUID = 1L;

    CaseFailure(String message) {
        super(message);
    }
}
