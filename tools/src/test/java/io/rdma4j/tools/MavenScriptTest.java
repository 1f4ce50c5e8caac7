// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code mvnw} with a Maven that is a script, and a download that is a copy. */
@Timeout(60)
class MavenScriptTest {
    private static final Path SCRIPT = Path.of("..", "mvnw").toAbsolutePath().normalize();
    private static final String NAME = "apache-maven-9.9.9";

    @TempDir
    private Path directory;

    private Path root = Path.of("");
    private Path archive = Path.of("");

    private record Outcome(int exit, String out, String err) {}

    @BeforeEach
    void makeCheckout() throws Exception {
        root = Files.createDirectories(directory.resolve("check out"));
        Files.copy(SCRIPT, root.resolve("mvnw"), StandardCopyOption.COPY_ATTRIBUTES);
        executable(
                directory.resolve(NAME + "/bin/mvn"),
                "#!/bin/sh\nfor word in \"$@\"; do printf 'word %s\\n' \"$word\"; done\n");
        archive = directory.resolve(NAME + "-bin.tar.gz");
        Process tar = new ProcessBuilder("tar", "-czf", archive.toString(), "-C", directory.toString(), NAME).start();
        assertThat(tar.waitFor()).isZero();
        // Each download is a line of the file "downloads".
        executable(
                directory.resolve("bin/curl"),
                "#!/bin/sh\nfor word in \"$@\"; do case $word in http*) echo \"$word\" >>" + directory
                        + "/downloads;; esac; done\nwhile [ \"$1\" != -o ]; do shift; done\ncp " + archive
                        + " \"$2\"\n");
        settings(digest());
    }

    private static void executable(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private String digest() throws Exception {
        byte[] hash = MessageDigest.getInstance("SHA-512").digest(Files.readAllBytes(archive));
        return HexFormat.of().formatHex(hash);
    }

    private void settings(String sha512) throws IOException {
        Path file = Files.createDirectories(root.resolve(".mvn/wrapper")).resolve("maven-wrapper.properties");
        Files.writeString(
                file,
                "# comment\ndistributionUrl=https://example.org/maven2/org/" + NAME
                        + "-bin.tar.gz\ndistributionSha512Sum=" + sha512 + "\n");
    }

    private Outcome run(List<String> environment, String... words) throws IOException, InterruptedException {
        List<String> command = Stream.concat(Stream.of(root.resolve("mvnw").toString()), Stream.of(words))
                .toList();
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("err").toFile());
        builder.environment().put("HOME", directory.resolve("home").toString());
        builder.environment().put("PATH", directory.resolve("bin") + ":/usr/bin:/bin");
        builder.environment().remove("MAVEN_USER_HOME");
        environment.forEach(entry -> builder.environment().put(entry.split("=", 2)[0], entry.split("=", 2)[1]));
        int exit = builder.start().waitFor();
        return new Outcome(
                exit, Files.readString(directory.resolve("out")), Files.readString(directory.resolve("err")));
    }

    private List<String> downloads() throws IOException {
        return Files.readAllLines(directory.resolve("downloads"));
    }

    @Test
    void theFirstRunDownloadsMavenAndLaterOnesDoNot() throws IOException, InterruptedException {
        Outcome first = run(List.of(), "-v", "two words");
        assertThat(first.err()).contains("mvnw: downloading https://example.org/maven2/org/" + NAME + "-bin.tar.gz");
        assertThat(first.out()).isEqualTo("word -v\nword two words\n");
        assertThat(first.exit()).isZero();
        Outcome second = run(List.of(), "-v");
        assertThat(second.err()).isEmpty();
        assertThat(second.out()).isEqualTo("word -v\n");
        assertThat(downloads()).hasSize(1);
    }

    @Test
    void anArchiveWithAnotherDigestIsNotRunAndNotKept() throws Exception {
        settings(digest().replaceFirst("^.", "x"));
        Outcome outcome = run(List.of(), "-v");
        assertThat(outcome.exit()).isEqualTo(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err()).contains("has the SHA-512 " + digest(), "nothing is run");
        try (Stream<Path> left = Files.walk(directory.resolve("home"))) {
            assertThat(left.filter(Files::isRegularFile)).isEmpty();
        }
    }

    @Test
    void aRepositoryReplacesTheSourceOfTheDownload() throws IOException, InterruptedException {
        run(List.of("MVNW_REPOURL=https://mirror.example.org/repository/"), "-v");
        assertThat(downloads())
                .containsExactly("https://mirror.example.org/repository/org/apache/maven/apache-maven/"
                        + NAME.substring(NAME.lastIndexOf('-') + 1) + "/" + NAME + "-bin.tar.gz");
    }

    @Test
    void aDownloadThatFailsSaysWhatHelps() throws IOException, InterruptedException {
        executable(directory.resolve("bin/curl"), "#!/bin/sh\nexit 6\n");
        Outcome outcome = run(List.of(), "-v");
        assertThat(outcome.exit()).isEqualTo(1);
        assertThat(outcome.err()).contains("cannot be downloaded", "MVNW_REPOURL");
    }
}
