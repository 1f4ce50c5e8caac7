// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.core;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;

/** Environment variables of libibverbs that have no effect here. If one is set, a log message reports that. */
public enum LegacyVariable {
    RDMAV_FORK_SAFE("a JVM does not fork, so registered memory needs no protection from it"),
    IBV_FORK_SAFE("a JVM does not fork, so registered memory needs no protection from it"),
    RDMAV_HUGEPAGES_SAFE("MemoryRegion.backingPageBytes() tells the page size of any region");

    private final String reason;

    LegacyVariable(String reason) {
        this.reason = reason;
    }

    /** Logs for each variable that is set why it has no effect. */
    public static void report(Map<String, String> environment, Logger log) {
        for (LegacyVariable variable : values()) {
            if (environment.containsKey(variable.name())) {
                log.log(Level.INFO, "{0} is set and changes nothing: {1}", variable, variable.reason);
            }
        }
    }
}
