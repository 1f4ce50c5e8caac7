// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture.samples;

import java.lang.foreign.Linker;

/** Makes native calls outside of the allowed packages. */
public final class CallsNativeCode {
    private CallsNativeCode() {}

    /** The linker. */
    public static Linker linker() {
        return Linker.nativeLinker();
    }
}
