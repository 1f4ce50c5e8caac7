// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import java.util.List;
import java.util.Map;

/**
 * How unmodified programs of this machine get the devices of rdma4j, by the drop-in {@code libibverbs}.
 *
 * @param launcher words before the name of the program
 * @param environment variables with which programs and libraries are found
 */
public record DropInLauncher(List<String> launcher, Map<String, String> environment) {
    public DropInLauncher {
        launcher = List.copyOf(launcher);
        environment = Map.copyOf(environment);
    }
}
