package io.rdma4j.net.linux;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whether this JVM may call Linux, and what to do if it may not. */
final class NativeAccess {
    /** Those on which the structures and numbers of this package are the kernel's; as {@code os.arch} names them. */
    private static final Set<String> MACHINES = Set.of("amd64", "x86_64", "aarch64", "riscv64");

    private static final @Nullable String OBSTACLE = obstacle(
            System.getProperty("os.name", ""), System.getProperty("os.arch", ""), NativeAccess.class.getModule());

    private NativeAccess() {}

    /** Null if nothing is in the way. */
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

    /** True if the drivers of this package can be had. */
    static boolean isThere() {
        return OBSTACLE == null;
    }

    /**
     * To be called before anything of {@link Libc}.
     *
     * @param what wants to call, for the message
     * @throws RdmaException EOPNOTSUPP if it cannot
     */
    static void require(String what) {
        if (OBSTACLE != null) {
            throw new RdmaException(Errno.EOPNOTSUPP, what + " is not to be had: " + OBSTACLE);
        }
    }
}
