// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

/**
 * What helps to analyse the failure of a test: the seed, the command that repeats it, and the attached files. The
 * extension adds it to the failure as a suppressed exception.
 */
public final class FabricFailure extends Exception {
    private static final long serialVersionUID = 1;

    FabricFailure(String text) {
        super(text, null, false, false);
    }
}
