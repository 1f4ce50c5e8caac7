package io.rdma4j.control.command;

/** The words of a command make no sense; the message says which, and why. */
final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }
}
