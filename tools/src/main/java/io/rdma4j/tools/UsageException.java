package io.rdma4j.tools;

/** The arguments of a tool are wrong; the message says which and what would be right. */
final class UsageException extends Exception {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }
}
