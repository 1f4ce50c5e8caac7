// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.report;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** Time, machine and command of a run, which are necessary to interpret its figures. */
public final class RunInfo {
    private final Map<String, String> facts = new LinkedHashMap<>();

    private RunInfo() {}

    /** {@return date, version, host, CPUs, operating system, JDK and command of this process} */
    public static RunInfo ofThisProcess() {
        RunInfo info = new RunInfo();
        info.put(
                "date",
                OffsetDateTime.now(ZoneId.systemDefault())
                        .truncatedTo(ChronoUnit.SECONDS)
                        .format(DateTimeFormatter.ISO_OFFSET_DATE_TIME));
        info.put(
                "rdma4j",
                Objects.requireNonNullElse(
                        RunInfo.class.getPackage().getImplementationVersion(), "not run from its jar"));
        info.put("host", hostName());
        info.put("cpus", Integer.toString(Runtime.getRuntime().availableProcessors()));
        info.put(
                "os",
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"));
        info.put("jdk", System.getProperty("java.vendor") + " " + System.getProperty("java.runtime.version"));
        info.put("command", command());
        return info;
    }

    /** Adds a property of the tool, for example the device, its driver or the MTU. */
    public RunInfo put(String name, String value) {
        facts.put(name, value);
        return this;
    }

    /** {@return the properties in the order in which they were added; a copy} */
    public Map<String, String> facts() {
        return new LinkedHashMap<>(facts);
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }

    /** The command as the user typed it; the launcher starts the class {@code …Main}. */
    private static String command() {
        String[] words = System.getProperty("sun.java.command", "").split(" ", 2);
        return words.length < 2 ? words[0] : "./rdma4j " + words[1];
    }
}
