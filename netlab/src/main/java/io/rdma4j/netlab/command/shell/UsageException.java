// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.shell;

/** Reports invalid words of a command; the message names the word and the reason. */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }
}
