// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Captures the log lines of one category while it is open. */
public final class LogCapture extends Handler {
    private final Logger logger;
    private final List<String> lines = new ArrayList<>();

    public LogCapture(String category) {
        logger = Logger.getLogger(category);
        logger.setUseParentHandlers(false);
        logger.addHandler(this);
        setLevel(Level.ALL);
    }

    /** Sets the level, as a user does. */
    public void level(Level level) {
        logger.setLevel(level);
    }

    public List<String> lines() {
        return lines;
    }

    @Override
    public void publish(LogRecord line) {
        lines.add(MessageFormat.format(line.getMessage(), line.getParameters()));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setLevel(null);
        logger.setUseParentHandlers(true);
    }
}
