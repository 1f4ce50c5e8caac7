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

    /** Where it leaves out how the queue pair is connected: here, with itself. */
    private static final Pattern LEFT_OUT = Pattern.compile("// … exchange .*");

    private static final String CONNECTED = """
            Connection.Address own = Connection.Address.of(qp);
            Connection.connect(qp, own, own);
            qp.postReceive(ReceiveRequest.of(2, mr.sge(0, 4096)));
            """;

    @Test
    void theFirstProgramCompilesAndRuns(@TempDir Path directory) throws IOException, InterruptedException {
        String block = firstBlock();
        boolean whole = block.startsWith("import ");
        Path source = Files.writeString(directory.resolve("Readme.java"), whole ? block : wrapped(block));

        assertThat(compile(source, directory)).isEmpty();
        String classPath = directory + File.pathSeparator + Program.classPath();
        try (Program program = Program.start(classPath, whole ? "Readme" : "io.rdma4j.examples.Readme")) {
            List<String> lines = program.lines();
            assertThat(lines).filteredOn(line -> line.matches("\\d+ .*")).allMatch(line -> line.endsWith(" SUCCESS"));
        }
    }

    private static String firstBlock() throws IOException {
        Matcher matcher = FIRST_BLOCK.matcher(Files.readString(README));
        assertThat(matcher.find()).as("a block of Java below 'The API'").isTrue();
        return matcher.group(1);
    }

    /** Statements, made a program. */
    private static String wrapped(String statements) {
        return """
                package io.rdma4j.examples;
                import io.rdma4j.verbs.*;
                import java.lang.foreign.*;
                import java.util.*;
                class Readme {
                    public static void main(String[] args) {
                        %s
                    }
                }
                """.formatted(LEFT_OUT.matcher(statements).replaceFirst(CONNECTED));
    }

    /** Returns what the compiler has to say. */
    private static String compile(Path source, Path directory) {
        ByteArrayOutputStream words = new ByteArrayOutputStream();
        ToolProvider.getSystemJavaCompiler()
                .run(null, words, words, "-d", directory.toString(), "-cp", Program.classPath(), source.toString());
        return words.toString(StandardCharsets.UTF_8);
    }
}
