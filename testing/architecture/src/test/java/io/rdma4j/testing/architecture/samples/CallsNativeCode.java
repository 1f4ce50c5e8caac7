package io.rdma4j.testing.architecture.samples;

import java.lang.foreign.Linker;

/** Native calls from anywhere. */
public final class CallsNativeCode {
    private CallsNativeCode() {}

    /** The linker. */
    public static Linker linker() {
        return Linker.nativeLinker();
    }
}
