package io.rdma4j.tools;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.logging.LogManager;

/**
 * The log of a tool that the user has not configured: warnings on the error output, and no line for each device that is opened.
 * {@code java.util.logging} makes one when the first line is logged.
 */
public final class QuietLogging {
    private static final String FILE = "java.util.logging.config.file";
    private static final String CLASS = "java.util.logging.config.class";
    private static final String CONFIGURATION = """
        handlers=java.util.logging.ConsoleHandler
        .level=WARNING
        """;

    /** Made by {@link LogManager}. */
    public QuietLogging() throws IOException {
        LogManager.getLogManager()
                .readConfiguration(new ByteArrayInputStream(CONFIGURATION.getBytes(StandardCharsets.UTF_8)));
    }

    /** Takes effect with the first line that is logged, unless the user has configured the log. */
    static void install() {
        if (System.getProperty(FILE) == null && System.getProperty(CLASS) == null) {
            System.setProperty(CLASS, QuietLogging.class.getName());
        }
    }
}
