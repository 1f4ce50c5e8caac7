package io.rdma4j.interop.lab;

/**
 * What a program left behind.
 *
 * @param exitCode 0 if all went well; {@link #TIMED_OUT} if it was ended because its time was over
 * @param text both streams in one
 */
public record Output(int exitCode, String text) {
    /** As {@code timeout(1)} has it. */
    public static final int TIMED_OUT = 124;

    /** True if the program said so. */
    public boolean ok() {
        return exitCode == 0;
    }
}
