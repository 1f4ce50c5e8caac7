// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds the installed programs on the PATH. */
final class Installed {
    private static final Pattern SEPARATOR = Pattern.compile(Pattern.quote(System.getProperty("path.separator")));

    private final String path;

    /** @param path directories, as in the variable PATH */
    Installed(String path) {
        this.path = path;
    }

    boolean has(String program) {
        return SEPARATOR.splitAsStream(path).anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }

    /** Returns the first installed program; null if none is. */
    @Nullable
    String firstOf(String... programs) {
        for (String program : programs) {
            if (has(program)) {
                return program;
            }
        }
        return null;
    }

    /** Null if a program is installed, otherwise a message. */
    @Nullable
    String missing(String program) {
        return has(program) ? null : program + " is not installed";
    }
}
