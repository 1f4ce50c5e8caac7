// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.testing.ledger.Covers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the launcher script in a small checkout. Maven and the JDK are scripts that record their arguments, because a
 * build of the real checkout takes minutes.
 */
@Timeout(120)
class LauncherTest {
    private static final Path SCRIPT = Path.of("..", "rdma4j").toAbsolutePath().normalize();

    private static final String MAVEN = """
        #!/bin/sh
        printf '%s\\n' "$MAVEN_OPTS" >../maven-options
        echo "[INFO] Scanning for projects..."
        if [ -n "${OFFLINE:-}" ]; then
            echo "[ERROR] [ERROR] Some problems were encountered while processing the POMs:"
            echo "[ERROR] Non-resolvable import POM: Could not transfer artifact org.junit:junit-bom:pom:6 from/to central: Unknown host"
            exit 1
        fi
        if [ -n "${BROKEN:-}" ]; then
            echo "[ERROR] COMPILATION ERROR : Foo.java:[3,4] ';' expected"
            exit 1
        fi
        echo "[INFO] Building rdma4j base 0.1.0-SNAPSHOT                     [1/2]"
        echo "[WARNING] something that no user needs"
        echo "[INFO] Building rdma4j tools 0.1.0-SNAPSHOT                    [2/2]"
        mkdir -p devtools/target base/target
        find base | sort >../maven-saw
        : >devtools/target/rdma4j-devtools.jar
        : >base/target/rdma4j-base.jar
        echo "$PWD/base/target/rdma4j-base.jar" >devtools/target/class-path
        """;

    private static final String JAVA = """
        #!/bin/sh
        case "$1" in --sun-misc*) exit 0 ;; esac
        for word in "$@"; do
            case $word in
            -XX:AOTCacheOutput=*) : >"${word#*=}"; exit 0 ;;
            esac
            printf 'word %s\\n' "$word"
        done
        """;

    @TempDir
    private Path directory;

    private Path root = Path.of("");
    private Path jdk = Path.of("");

    @BeforeEach
    void makeCheckout() throws IOException {
        root = Files.createDirectories(directory.resolve("check out"));
        Files.copy(SCRIPT, root.resolve("rdma4j"), StandardCopyOption.COPY_ATTRIBUTES);
        Files.writeString(root.resolve("pom.xml"), "");
        Files.createDirectories(root.resolve("tools/src/main"));
        jdk = makeJdk(directory.resolve("jdk"), "25.0.1");
        script(directory.resolve("bin/mvn"), MAVEN);
    }

    private static Path makeJdk(Path home, String version) throws IOException {
        script(home.resolve("bin/java"), JAVA);
        script(home.resolve("bin/javac"), "#!/bin/sh\n");
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"test\"\nJAVA_VERSION=\"" + version + "\"\n");
        return home;
    }

    private static void script(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private record Outcome(int exit, String out, String err) {
        List<String> classPath() {
            List<String> words =
                    out.lines().map(line -> line.substring("word ".length())).toList();
            return List.of(words.get(words.indexOf("-cp") + 1).split(":", -1));
        }
    }

    private Process start(List<String> command, List<String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(root.toFile());
        builder.environment().put("JAVA_HOME", jdk.toString());
        builder.environment().put("PATH", directory.resolve("bin") + ":/usr/bin:/bin");
        builder.environment().remove("MAVEN_OPTS");
        environment.forEach(entry -> builder.environment().put(entry.split("=", 2)[0], entry.split("=", 2)[1]));
        return builder.redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("err").toFile())
                .start();
    }

    private Outcome end(Process process) throws IOException, InterruptedException {
        boolean ended = process.waitFor(60, TimeUnit.SECONDS);
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        assertThat(ended).as("the launcher ends").isTrue();
        return new Outcome(
                process.exitValue(),
                Files.readString(directory.resolve("out")),
                Files.readString(directory.resolve("err")));
    }

    private Outcome run(List<String> environment, String... words) throws IOException, InterruptedException {
        return end(start(launcher(words), environment));
    }

    private List<String> launcher(String... words) {
        return Stream.concat(Stream.of(root.resolve("rdma4j").toString()), Stream.of(words))
                .toList();
    }

    private Outcome run(String... words) throws IOException, InterruptedException {
        return run(List.of(), words);
    }

    @Test
    void aBuildTellsEachModuleAndNothingElseOfMaven() throws IOException, InterruptedException {
        Outcome outcome = run("ibv_devices");
        assertThat(outcome.exit()).isZero();
        assertThat(outcome.err().lines())
                .containsExactly(
                        "rdma4j: building tools",
                        "rdma4j: building 1 of 2, rdma4j base",
                        "rdma4j: building 2 of 2, rdma4j tools",
                        "rdma4j: recording caches for a fast start");
        assertThat(outcome.out()).contains("word io.rdma4j.tools.Main\nword ibv_devices\n");
        assertThat(Files.readString(directory.resolve("maven-options")))
                .contains("--sun-misc-unsafe-memory-access=allow");
        assertThat(run("ibv_devices").err()).as("when nothing is stale").isEmpty();
    }

    @Test
    void aMovedCheckoutRunsItsOwnJarsAndMakesItsCachesAgain() throws IOException, InterruptedException {
        assertThat(run("ibv_devices").classPath())
                .allSatisfy(jar -> assertThat(jar).startsWith(root + "/"));
        Path moved = Files.move(root, directory.resolve("moved"));
        root = moved;
        Outcome first = run("ibv_devices");
        assertThat(first.err()).isEqualTo("rdma4j: recording caches for a fast start\n");
        assertThat(first.out()).contains("word -XX:AOTCache=" + moved);
        assertThat(first.classPath())
                .hasSize(2)
                .allSatisfy(jar -> assertThat(jar).startsWith(moved + "/"))
                .allSatisfy(jar -> assertThat(Path.of(jar)).exists());
        assertThat(run("ibv_devices").err()).as("the second time").isEmpty();
    }

    /** As after "git pull", when services have moved to another module. */
    @Test
    void whatEarlierSourcesHaveLeftAmongTheServicesIsGoneBeforeTheBuild() throws IOException, InterruptedException {
        run("ibv_devices");
        Path built = Files.createDirectories(root.resolve("base/target/classes/META-INF/services"));
        Path sources = Files.createDirectories(root.resolve("base/src/main/resources/META-INF/services"));
        for (String name : List.of("Kept", "Moved")) {
            Files.writeString(built.resolve(name), "Implementation\n");
        }
        Files.writeString(sources.resolve("Kept"), "Implementation\n");
        Files.writeString(root.resolve("base/target/rdma4j-base.jar"), "with both");
        assertThat(run("ibv_devices").exit()).isZero();
        assertThat(Files.readAllLines(directory.resolve("maven-saw")))
                .contains("base/target/classes/META-INF/services/Kept")
                .doesNotContain("base/target/classes/META-INF/services/Moved", "base/target/rdma4j-base.jar");
    }

    @Test
    void aCheckoutThatCannotBeBuiltFailsAtOnceWithTheReason() throws IOException, InterruptedException {
        // mkdir fails, also for root, so there is no lock.
        Files.writeString(root.resolve(".build-lock"), "");
        Outcome outcome = run("ibv_devices");
        assertThat(outcome.exit()).isEqualTo(1);
        assertThat(outcome.err())
                .contains("nothing can be built in " + root, "mkdir", "copy it to a directory of your own");
    }

    @Test
    void aCheckoutOnAReadOnlyFileSystemRunsIfItIsBuiltAndFailsAtOnceIfNot() throws IOException, InterruptedException {
        assumeTrue(runReadOnly("true").exit() == 0, "mount namespaces are not permitted here");
        Outcome unbuilt = runReadOnly("./rdma4j ibv_devices");
        assertThat(unbuilt.exit()).isEqualTo(1);
        assertThat(unbuilt.err()).contains("nothing can be built in " + root, "Read-only file system");
        run("ibv_devices");
        jdk = makeJdk(directory.resolve("other"), "26");
        Outcome built = runReadOnly("./rdma4j ibv_devices");
        assertThat(built.exit()).isZero();
        assertThat(built.err()).as("no caches can be made for the other JDK").isEmpty();
        assertThat(built.out()).contains("word ibv_devices").doesNotContain("AOTCache");
    }

    /** Runs a shell command in the checkout, mounted read-only. */
    private Outcome runReadOnly(String command) throws IOException, InterruptedException {
        String mount = "mount --bind . . && mount -o remount,ro,bind . && cd \"$PWD\" && LC_ALL=C ";
        boolean superuser = System.getProperty("user.name").equals("root");
        return end(start(List.of("unshare", superuser ? "-m" : "-rm", "sh", "-c", mount + command), List.of()));
    }

    @Test
    void aLauncherThatWaitsForTheBuildOfAnotherSaysSoOnce() throws IOException, InterruptedException {
        Path lock = Files.createDirectory(root.resolve(".build-lock"));
        Files.writeString(lock.resolve("pid"), ProcessHandle.current().pid() + "\n");
        Process process = start(launcher("ibv_devices"), List.of());
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!Files.readString(directory.resolve("err")).contains("\n") && System.nanoTime() < end) {
            Thread.sleep(20);
        }
        Thread.sleep(2500); // time for a second line
        Files.delete(lock.resolve("pid"));
        Files.delete(lock);
        Outcome outcome = end(process);
        assertThat(outcome.exit()).isZero();
        assertThat(outcome.err().lines().filter(line -> line.contains("waiting")))
                .containsExactly("rdma4j: waiting for the build of process "
                        + ProcessHandle.current().pid() + ", which holds " + lock);
    }

    @Test
    void aLockWhoseOwnerHasEndedIsRemoved() throws IOException, InterruptedException {
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        Path lock = Files.createDirectory(root.resolve(".build-lock"));
        Files.writeString(lock.resolve("pid"), ended.pid() + "\n");
        assertThat(run("ibv_devices").exit()).isZero();
        assertThat(lock).doesNotExist();
    }

    @Test
    void aFirstBuildWithoutNetworkSaysThatTheNetworkIsMissing() throws IOException, InterruptedException {
        Outcome outcome = run(List.of("OFFLINE=1"), "ibv_devices");
        assertThat(outcome.exit()).isEqualTo(1);
        assertThat(outcome.err())
                .contains("Could not transfer artifact org.junit:junit-bom", "The first build needs a network");
        assertThat(outcome.err().lines()).hasSizeLessThanOrEqualTo(4);
        assertThat(root.resolve(".build-lock")).doesNotExist();
    }

    @Test
    void aBuildThatFailsPrintsTheErrorsAndWhereTheRestIs() throws IOException, InterruptedException {
        Outcome outcome = run(List.of("BROKEN=1"), "ibv_devices");
        assertThat(outcome.exit()).isEqualTo(1);
        assertThat(outcome.err())
                .contains("[ERROR] COMPILATION ERROR", "the build failed; all of it: " + root + "/target/")
                .doesNotContain("network");
    }

    @Test
    void aMissingMavenIsNamed() throws IOException, InterruptedException {
        Path tools = Files.createDirectories(directory.resolve("few"));
        for (String tool : List.of("sh", "find", "mkdir", "rm", "sleep", "readlink")) {
            script(tools.resolve(tool), "#!/bin/sh\nexec /usr/bin/" + tool + " \"$@\"\n");
        }
        Outcome outcome = run(List.of("PATH=" + tools), "ibv_devices");
        assertThat(outcome.exit()).isEqualTo(1);
        assertThat(outcome.err()).contains("'mvn' is not on the PATH");
    }

    @Test
    void withoutMavenTheScriptOfTheCheckoutIsUsed() throws IOException, InterruptedException {
        Files.move(directory.resolve("bin/mvn"), root.resolve("mvnw"));
        Path tools = Files.createDirectories(directory.resolve("no maven"));
        for (String tool :
                List.of("sh", "find", "mkdir", "rm", "sleep", "readlink", "cat", "cp", "mv", "sed", "grep", "head")) {
            script(tools.resolve(tool), "#!/bin/sh\nexec /usr/bin/" + tool + " \"$@\"\n");
        }
        Outcome outcome = run(List.of("PATH=" + tools), "ibv_devices");
        assertThat(outcome.err()).contains("rdma4j: building 2 of 2, rdma4j tools");
        assertThat(outcome.out()).contains("word ibv_devices");
        assertThat(outcome.exit()).isZero();
    }

    @Test
    void jdksOfVersionManagersAreFound() throws IOException, InterruptedException {
        // A version that no directory of this machine contains.
        Path launcher = root.resolve("rdma4j");
        Files.writeString(launcher, Files.readString(launcher).replace("oldest_jdk=25", "oldest_jdk=999"));
        for (String place : List.of(
                ".sdkman/candidates/java/999.0-tem",
                ".asdf/installs/java/temurin-999",
                ".local/share/mise/installs/java/999",
                ".jdks/temurin-999")) {
            Path home = Files.createDirectory(directory.resolve("home" + place.hashCode()));
            makeJdk(home.resolve(place), "999");
            List<String> environment =
                    List.of("HOME=" + home, "SDKMAN_DIR=" + home + "/.sdkman", "ASDF_DATA_DIR=" + home + "/.asdf");
            assertThat(run(environment, "ibv_devices").exit()).as(place).isZero();
        }
        Outcome none =
                run(List.of("HOME=/nonexistent", "SDKMAN_DIR=/nonexistent", "ASDF_DATA_DIR=/nonexistent"), "help");
        assertThat(none.exit()).isEqualTo(1);
        assertThat(none.err()).contains("no JDK 999 or newer in JAVA_HOME");
    }

    @Test
    @Covers("DROPIN-6")
    void runGivesAProgramTheLibraryAndTheClassPath() throws IOException, InterruptedException {
        script(root.resolve("dropin/src/main/c/build.sh"), "#!/bin/sh\n[ -n \"$1\" ] && : >\"$2/libibverbs.so.1\"\n");
        script(
                directory.resolve("bin/program"),
                "#!/bin/sh\nprintf '%s\\n' \"$LD_PRELOAD\" \"$LD_LIBRARY_PATH\" \"$RDMA4J_JAVA_HOME\" \"$RDMA4J_CLASS_PATH\" \"$*\" \"${JAVA_TOOL_OPTIONS-none}\"\n");

        Outcome outcome = run(List.of("JAVA_TOOL_OPTIONS=-ea"), "run", "program", "-d", "rxe_lo");

        Path installed = root.resolve("devtools/target/launcher");
        assertThat(outcome.exit()).isZero();
        assertThat(outcome.out().lines())
                .containsExactly(
                        "libibverbs.so.1:libjsig.so",
                        installed + ":" + jdk + "/lib",
                        jdk.toString(),
                        installed + "/lib/rdma4j-devtools.jar:" + installed + "/lib/rdma4j-base.jar",
                        "-d rxe_lo",
                        "none");
        assertThat(run("run", "no-such-program").err())
                .contains("there is no program 'no-such-program'", "./rdma4j programs");
    }

    @Test
    @Covers("DROPIN-53")
    void runWarnsOfAProgramThatDoesNotLoadLibraries() throws IOException, InterruptedException {
        script(root.resolve("dropin/src/main/c/build.sh"), "#!/bin/sh\n: >\"$2/libibverbs.so.1\"\n");
        script(directory.resolve("bin/static"), "\177ELF\2\1\1\0 no loader");
        script(directory.resolve("bin/other"), "\177ELF\2\1\1\0 /lib/ld-musl-x86_64.so.1");
        String warning = "is linked statically, or with another C library than glibc";

        assertThat(run("run", "static").err()).contains(warning);
        assertThat(run("run", "other").err()).contains(warning);
        assertThat(run("run", "env").err()).doesNotContain("is linked");
        assertThat(run("run", "ldd").err()).doesNotContain("is linked");
    }

    @Test
    void withoutACompilerOnlyRunFailsAndSaysWhatToInstall() throws IOException, InterruptedException {
        script(root.resolve("dropin/src/main/c/build.sh"), "#!/bin/sh\necho 'install a compiler'\nexit 3\n");

        assertThat(run("ibv_devices").exit()).isZero();
        Outcome outcome = run("run", "true");

        assertThat(outcome.exit()).isEqualTo(1);
        assertThat(outcome.err()).contains("install a compiler", "the library for programs in C is not built");
    }

    @Test
    void theLaunchersOwnWordsHaveHelp() throws IOException, InterruptedException {
        assertThat(run("test", "--help").out()).contains("word help\nword test\n");
        assertThat(run("example", "-h").out()).contains("word help\nword example\n");
        assertThat(run("dist", "--help").out()).contains("word help\nword dist\n");
    }
}
