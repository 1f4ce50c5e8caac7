// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux.call;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks whether this JVM can call Linux natively, and explains the remedy if it cannot. */
public final class NativeAccess {
    /**
     * Architectures on which this package's structures and constants match the kernel's, as {@code os.arch} names them.
     */
    private static final Set<String> MACHINES = Set.of("amd64", "x86_64", "aarch64", "riscv64");

    private static final @Nullable String OBSTACLE = obstacle(
            System.getProperty("os.name", ""), System.getProperty("os.arch", ""), NativeAccess.class.getModule());

    private NativeAccess() {}

    /** Returns the reason why native calls are impossible; null if they are possible. */
    static @Nullable String obstacle(String system, String machine, Module module) {
        if (!system.equals("Linux")) {
            return "it calls Linux, and this is " + system;
        }
        if (!MACHINES.contains(machine)) {
            return "it knows Linux on "
                    + String.join(", ", MACHINES.stream().sorted().toList()) + ", not on " + machine;
        }
        if (!module.isNativeAccessEnabled()) {
            return "this JVM keeps it from calling native code: start java with --enable-native-access="
                    + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
        }
        return null;
    }

    /** Returns true if the drivers of this package can be used. */
    public static boolean isThere() {
        return OBSTACLE == null;
    }

    /**
     * Throws if native calls are impossible. The caller calls this before any function of {@link Libc}.
     *
     * @param what name of the driver, for the message
     * @throws RdmaException EOPNOTSUPP if native calls are impossible
     */
    public static void require(String what) {
        if (OBSTACLE != null) {
            throw new RdmaException(Errno.EOPNOTSUPP, what + " is not to be had: " + OBSTACLE);
        }
    }
}
