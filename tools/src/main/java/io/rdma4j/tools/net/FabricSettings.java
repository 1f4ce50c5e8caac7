// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What the user says about a subnet; an empty text leaves the default.
 *
 * @param manager of the subnet
 * @param umad2sim port of the server for programs; empty for no server
 * @param ipoib network of the hosts; empty for the usual one, {@code none} for no IP
 * @param keys directory of the files with the keys of devices; empty for none
 */
record FabricSettings(ManagerSettings manager, String umad2sim, String ipoib, String keys) {
    boolean isEmpty() {
        return manager.isEmpty() && (umad2sim + ipoib + keys).isEmpty();
    }

    @Nullable
    Path keyDirectory() {
        return keys.isEmpty() ? null : Path.of(keys);
    }
}
