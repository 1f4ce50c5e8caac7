// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and runs the programs that README and docs/getting-started.md show to new users. */
class ReadmeTest {
    private static final Path README = Path.of("..", "README.md");
    private static final Path GETTING_STARTED = Path.of("..", "docs", "getting-started.md");
    private static final Pattern FIRST_BLOCK = Pattern.compile("## The API\n.*?\n```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern HELLO = block("Hello");
    private static final Pattern SERVER = block("Server");
    private static final Pattern CLIENT = block("Client");
    private static final String PORT = "4000";
    private static final int MOST_LINES = 25;
    private static final Path ARTIFACT = Path.of("..", "artifact", "rdma4j", "pom.xml");
    private static final Pattern WANTED_VERSION = version("rdma4j");
    private static final Pattern BUILT_VERSION = version("rdma4j-parent");

    private static Pattern version(String artifact) {
        return Pattern.compile("<artifactId>" + artifact + "</artifactId>\\s*<version>(.*?)</version>");
    }

    /** The first program after the name of its file. */
    private static Pattern block(String name) {
        return Pattern.compile("`[\\w/]*" + name + "\\.java`:\n+```java\n(.*?)```", Pattern.DOTALL);
    }

    @Test
    void theFirstProgramCompilesAndRuns(@TempDir Path directory) throws IOException, InterruptedException {
        Path source = Files.writeString(directory.resolve("Readme.java"), firstBlock());

        assertThat(compile(source, directory)).isEmpty();
        String classPath = directory + File.pathSeparator + Program.classPath();
        try (Program program = Program.start(classPath, "Readme")) {
            List<String> lines = program.lines();
            assertThat(lines).containsExactlyInAnyOrder("1 SUCCESS", "2 SUCCESS", "Hello, RDMA!");
        }
    }

    @Test
    void theFirstProgramIsShort() throws IOException {
        assertThat(firstBlock().lines()).hasSizeLessThanOrEqualTo(MOST_LINES);
    }

    @Test
    void theProjectFileWantsTheVersionThatIsBuiltHere() throws IOException {
        assertThat(first(WANTED_VERSION, GETTING_STARTED)).isEqualTo(first(BUILT_VERSION, ARTIFACT));
    }

    @Test
    void bothPagesHaveTheSameFirstProgram() throws IOException {
        assertThat(first(HELLO, GETTING_STARTED)).isEqualTo(firstBlock());
    }

    @Test
    void theTwoProgramsThatTheSecondPageShowsReachEachOther(@TempDir Path directory) throws Exception {
        String port = Integer.toString(freePort());
        for (String name : List.of("Server", "Client")) {
            String text = first(name.equals("Server") ? SERVER : CLIENT, GETTING_STARTED);
            assertThat(text).contains(PORT);
            Path source = Files.writeString(directory.resolve(name + ".java"), text.replace(PORT, port));
            assertThat(compile(source, directory)).isEmpty();
        }
        String classPath = directory + File.pathSeparator + Program.classPath();
        try (Program server = Program.start(classPath, "Server")) {
            assertThat(server.line()).isEqualTo("waiting on port " + port);
            try (Program client = Program.start(classPath, "Client", "127.0.0.1")) {
                assertThat(client.lines()).containsExactly("SUCCESS");
            }
            assertThat(server.lines()).containsExactly("SUCCESS Hello from another process");
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static String firstBlock() throws IOException {
        return first(FIRST_BLOCK, README);
    }

    /** Returns the group of the first match of a pattern. */
    private static String first(Pattern pattern, Path file) throws IOException {
        Matcher matcher = pattern.matcher(Files.readString(file));
        assertThat(matcher.find()).as("%s in %s", pattern, file).isTrue();
        return matcher.group(1);
    }

    /** Returns the messages of the compiler. */
    private static String compile(Path source, Path directory) {
        ByteArrayOutputStream words = new ByteArrayOutputStream();
        ToolProvider.getSystemJavaCompiler()
                .run(null, words, words, "-d", directory.toString(), "-cp", Program.classPath(), source.toString());
        return words.toString(StandardCharsets.UTF_8);
    }
}
