// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** A project of a user in a directory of its own: compiles a test class, and runs it in a process of its own. */
final class UserProject {
    /**
     * What the artifact brings to a user, and the engine and the launcher of JUnit. In the build a module is its folder
     * of classes, or its jar beside that.
     */
    private static final Pattern OF_THE_USER = Pattern.compile(
            "/(base|wire|packet|net|loop|ip|links|linux|shm|udp|verbs|transport|hca|rxe|netlab|testing/endpoint|testing/sim|testkit)"
                    + "/target/(classes|rdma4j-[^/]*\\.jar)$"
                    + "|/(junit-jupiter-api|junit-jupiter-engine|junit-platform-|opentest4j|apiguardian)[^/]*\\.jar$");

    private final Path directory;

    /** Result of a run. */
    record Run(int exitCode, String output) {}

    UserProject(Path directory) {
        this.directory = directory;
    }

    /** Compiles a class without package, and runs its tests as Maven does: in the directory of the project. */
    Run test(String className, String source) throws IOException, InterruptedException {
        Files.writeString(directory.resolve("pom.xml"), "<project/>");
        Path folder = Files.createDirectories(directory.resolve("src/test/java"));
        Path file = Files.writeString(folder.resolve(className + ".java"), source);
        Path classes = Files.createDirectories(directory.resolve("target/test-classes"));
        String messages = compile(file, classes);
        if (!messages.isEmpty()) {
            return new Run(2, messages);
        }
        Path output = directory.resolve("output");
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classes + File.pathSeparator + userClassPath() + File.pathSeparator + ownClasses(),
                UserProject.class.getName(),
                className);
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        return new Run(process.waitFor(), Files.readString(output));
    }

    private static String compile(Path source, Path classes) {
        StringWriter messages = new StringWriter();
        PrintWriter out = new PrintWriter(messages);
        ToolProvider.findFirst("javac")
                .orElseThrow()
                .run(
                        out,
                        out,
                        "-Xlint:all",
                        "-Werror",
                        "-d",
                        classes.toString(),
                        "-cp",
                        userClassPath(),
                        source.toString());
        return messages.toString();
    }

    /** The class path of the build without what users do not get, such as AssertJ and the tools. */
    static String userClassPath() {
        return classPath()
                .filter(entry -> OF_THE_USER.matcher(entry).find())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static Stream<String> classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1));
    }

    private static String ownClasses() {
        String name = UserProject.class.getName().replace('.', '/') + ".class";
        return classPath().filter(entry -> Files.exists(Path.of(entry, name))).collect(Collectors.joining());
    }

    /** Runs the tests of a class, as the launcher of JUnit. */
    public static void main(String[] classNames) {
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(classNames[0]))
                                .build(),
                        summary);
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        summary.getSummary().printFailuresTo(out, 3);
        out.println(summary.getSummary().getTestsSucceededCount() + " succeeded");
        System.exit(summary.getSummary().getTotalFailureCount() == 0 ? 0 : 1);
    }
}
