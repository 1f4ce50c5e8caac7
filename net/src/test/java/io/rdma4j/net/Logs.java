package io.rdma4j.net;

import java.lang.reflect.Proxy;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.List;

/**
 * Captures the log lines of a class. It uses reflection, because the module under test does not read
 * {@code java.logging}.
 */
public final class Logs {
    private Logs() {}

    /**
     * Runs {@code work} and returns the lines that {@code type} logged meanwhile, each with its level. They do not
     * appear on the console.
     */
    public static List<String> of(Class<?> type, Runnable work) {
        List<String> lines = new ArrayList<>();
        try {
            Class<?> filterType = Class.forName("java.util.logging.Filter");
            Object logger = Class.forName("java.util.logging.Logger")
                    .getMethod("getLogger", String.class)
                    .invoke(null, type.getName());
            Object filter = Proxy.newProxyInstance(
                    filterType.getClassLoader(), new Class<?>[] {filterType}, (_, _, arguments) -> {
                        lines.add(line(arguments[0]));
                        return false;
                    });
            logger.getClass().getMethod("setFilter", filterType).invoke(logger, filter);
            try {
                work.run();
            } finally {
                logger.getClass().getMethod("setFilter", filterType).invoke(logger, (Object) null);
            }
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("java.util.logging is not as expected", e);
        }
        return lines;
    }

    private static String line(Object entry) throws ReflectiveOperationException {
        Class<?> type = entry.getClass();
        String message = (String) type.getMethod("getMessage").invoke(entry);
        Object[] parameters = (Object[]) type.getMethod("getParameters").invoke(entry);
        String text = parameters == null ? message : MessageFormat.format(message, parameters);
        return type.getMethod("getLevel").invoke(entry) + " " + text;
    }
}
