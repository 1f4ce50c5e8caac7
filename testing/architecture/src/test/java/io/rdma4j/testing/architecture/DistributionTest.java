// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What can be checked of the archive of {@code ./rdma4j dist} without making it: the modules of its runtime, and its
 * scripts. {@code artifact/dist/check.sh} runs the archive itself.
 */
class DistributionTest {
    private static final Pattern REQUIRES = Pattern.compile("requires (?:transitive |static )*([\\w.]+);");
    private static final Pattern OF_THE_JDK = Pattern.compile("java\\..*|jdk\\..*");

    /** Modules that the code does not require: the base, and what a remote management agent needs. */
    private static final Set<String> BESIDES = Set.of("java.base", "jdk.management.agent");

    private final Project project = Project.here();

    private Stream<String> requires(String module) {
        Path file = project.path(module + "/src/main/java/module-info.java");
        return Files.exists(file)
                ? REQUIRES.matcher(Project.read(file)).results().map(match -> match.group(1))
                : Stream.empty();
    }

    /** The folders of the modules that a module needs, itself included. */
    private void collect(String module, Set<String> collected) {
        if (collected.add(module)) {
            Set<String> names = requires(module).collect(Collectors.toSet());
            project.modulesWithCode().stream()
                    .filter(other -> names.contains("io.rdma4j." + other.replace('/', '.')))
                    .forEach(other -> collect(other, collected));
        }
    }

    @Test
    void theRuntimeHasTheModulesThatTheToolsRequire() {
        Set<String> modules = new TreeSet<>();
        collect("tools", modules);
        assertThat(modules).contains("tools", "verbs", "rxe", "base");
        Set<String> expected = new TreeSet<>(BESIDES);
        modules.stream()
                .flatMap(this::requires)
                .filter(name -> OF_THE_JDK.matcher(name).matches())
                .forEach(expected::add);
        assertThat(Project.read(project.path("artifact/dist/modules.txt")).lines())
                .isSorted()
                .containsExactlyElementsOf(expected);
    }

    /** As artifact/dist/make.sh assembles it. */
    private String launcher() {
        String script = Project.read(project.path("rdma4j"));
        String run = script.substring(script.indexOf("\n# --- Run") + 1, script.indexOf("\n# --- Test") + 1);
        return Project.read(project.path("artifact/dist/launcher-head.sh")) + run + "become \"$@\"\n";
    }

    @Test
    void theScriptsAreShellScripts(@TempDir Path directory) throws IOException, InterruptedException {
        Path launcher = Files.writeString(directory.resolve("launcher"), launcher());
        for (Path script : List.of(
                launcher,
                project.path("artifact/dist/make.sh"),
                project.path("artifact/dist/check.sh"),
                project.path("rdma4j"),
                project.path("mvnw"))) {
            Process shell = new ProcessBuilder("sh", "-n", script.toString())
                    .redirectErrorStream(true)
                    .start();
            String printed = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(shell.waitFor()).as("%s: %s", script, printed).isZero();
        }
    }

    /** The launcher of the archive, whose runtime is a script that prints its arguments. */
    @Test
    void theLauncherRunsTheToolOfItsLinksNameFromAnyDirectory(@TempDir Path directory)
            throws IOException, InterruptedException {
        Path root = Files.createDirectories(directory.resolve("the archive"));
        Path bin = Files.createDirectories(root.resolve("bin"));
        Path script = Files.writeString(bin.resolve("rdma4j"), launcher());
        Path java = Files.createDirectories(root.resolve("runtime/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\nfor word in \"$@\"; do printf '%s\\n' \"$word\"; done\n");
        Files.writeString(root.resolve("jars"), "a.jar\nb.jar\n");
        Files.writeString(root.resolve("quick.aot"), "");
        assertThat(script.toFile().setExecutable(true) && java.toFile().setExecutable(true))
                .isTrue();
        Files.createSymbolicLink(bin.resolve("ibv_devices"), Path.of("rdma4j"));
        Path elsewhere = Files.createSymbolicLink(directory.resolve("ibv_devices"), bin.resolve("ibv_devices"));

        ProcessBuilder builder = new ProcessBuilder(elsewhere.toString(), "-v")
                .directory(Path.of("/").toFile());
        builder.environment().keySet().removeIf(name -> !name.equals("PATH"));
        Process process = builder.start();
        List<String> words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(process.waitFor()).isZero();
        assertThat(words)
                .contains("-XX:AOTCache=" + root + "/quick.aot", root + "/lib/a.jar:" + root + "/lib/b.jar")
                .endsWith("io.rdma4j.tools.Main", "ibv_devices", "-v");
    }
}
