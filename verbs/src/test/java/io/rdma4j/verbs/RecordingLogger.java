// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;

/** Records log lines, with the level as prefix. */
final class RecordingLogger implements System.Logger {
    final List<String> lines = new ArrayList<>();

    @Override
    public String getName() {
        return "test";
    }

    @Override
    public boolean isLoggable(Level level) {
        return true;
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
        lines.add(level + " " + message);
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
        lines.add(level + " " + MessageFormat.format(format, parameters));
    }
}
