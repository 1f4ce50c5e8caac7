// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.logging.LogManager;

/**
 * Logging configuration for users without one: warnings on the error output, and no line for each opened device. {@code
 * java.util.logging} creates it when the first line is logged.
 */
public final class QuietLogging {
    private static final String FILE = "java.util.logging.config.file";
    private static final String CLASS = "java.util.logging.config.class";
    private static final String CONFIGURATION = """
        handlers=java.util.logging.ConsoleHandler
        .level=WARNING
        """;

    /** Called by {@link LogManager}. */
    public QuietLogging() throws IOException {
        LogManager.getLogManager()
                .readConfiguration(new ByteArrayInputStream(CONFIGURATION.getBytes(StandardCharsets.UTF_8)));
    }

    /** Sets this configuration for the first logged line, unless the user has configured logging. */
    static void install() {
        if (System.getProperty(FILE) == null && System.getProperty(CLASS) == null) {
            System.setProperty(CLASS, QuietLogging.class.getName());
        }
    }
}
