package io.rdma4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a newcomer copies from the README compiles and runs. */
class ReadmeTest {
    private static final Path README = Path.of("..", "README.md");
    private static final Pattern FIRST_BLOCK = Pattern.compile("## The API\n.*?\n```java\n(.*?)```", Pattern.DOTALL);
    private static final int MOST_LINES = 25;

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

    private static String firstBlock() throws IOException {
        Matcher matcher = FIRST_BLOCK.matcher(Files.readString(README));
        assertThat(matcher.find()).as("a block of Java below 'The API'").isTrue();
        return matcher.group(1);
    }

    /** Returns what the compiler has to say. */
    private static String compile(Path source, Path directory) {
        ByteArrayOutputStream words = new ByteArrayOutputStream();
        ToolProvider.getSystemJavaCompiler()
                .run(null, words, words, "-d", directory.toString(), "-cp", Program.classPath(), source.toString());
        return words.toString(StandardCharsets.UTF_8);
    }
}
