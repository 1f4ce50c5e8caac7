package io.rdma4j.testkit;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** A project of a user in a directory of its own: compiles a test class, and runs it in a process of its own. */
final class UserProject {
    /** Jars and folders that the artifact brings to a user, by a part of their path; and the engine and launcher. */
    private static final List<String> OF_THE_USER = List.of(
            "base", "wire", "packet", "net", "verbs", "transport", "rxe", "control", "endpoint", "sim", "testkit");

    private static final List<String> OF_JUNIT =
            List.of("junit-jupiter-api", "junit-jupiter-engine", "junit-platform-", "opentest4j", "apiguardian");

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

    private static String compile(Path source, Path classes) throws IOException {
        ByteArrayOutputStream messages = new ByteArrayOutputStream();
        ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        messages,
                        messages,
                        "-Xlint:all",
                        "-Werror",
                        "-d",
                        classes.toString(),
                        "-cp",
                        userClassPath(),
                        source.toString());
        return messages.toString(StandardCharsets.UTF_8);
    }

    /** The class path of the build without what users do not get, such as AssertJ and the tools. */
    static String userClassPath() throws IOException {
        List<String> wanted = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (isOfTheUser(Path.of(entry))) {
                wanted.add(entry);
            }
        }
        return String.join(File.pathSeparator, wanted);
    }

    private static boolean isOfTheUser(Path entry) {
        String name = entry.getFileName().toString();
        if (OF_JUNIT.stream().anyMatch(name::startsWith)) {
            return true;
        }
        // In the build a module is its folder of classes, or its jar beside that.
        Path target = entry.getParent();
        boolean isMain = name.equals("classes") || name.startsWith("rdma4j-");
        return isMain
                && target.endsWith("target")
                && OF_THE_USER.contains(target.getParent().getFileName().toString());
    }

    private static Path ownClasses() {
        return Path.of(Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry ->
                        Files.exists(Path.of(entry, UserProject.class.getName().replace('.', '/') + ".class")))
                .collect(Collectors.joining()));
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
