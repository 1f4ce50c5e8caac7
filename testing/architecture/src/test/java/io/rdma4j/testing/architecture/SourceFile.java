// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * A Java source file.
 *
 * @param path path relative to the project's root, for messages
 */
record SourceFile(String path, String text) {
    /** The syntax tree of a source. */
    record Parsed(SourceFile file, CompilationUnitTree unit, Trees trees) {
        /** Line of a position in the text, counted from 1. */
        long line(long position) {
            return unit.getLineMap().getLineNumber(position);
        }
    }

    /** File name without directory. */
    String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** Parses the source without resolving types, so no other file is needed. */
    Parsed parse() {
        return parse(List.of(this)).getFirst();
    }

    /**
     * Parses sources by one compiler: its start takes longer than a file. The results are in the order of the files.
     */
    static List<Parsed> parse(List<SourceFile> files) {
        if (files.isEmpty()) {
            return List.of(); // the compiler refuses to start without a file
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavacTask task = (JavacTask) compiler.getTask(
                null,
                null,
                null,
                List.of("-proc:none"),
                null,
                files.stream().map(SourceFile::asInput).toList());
        Trees trees = Trees.instance(task);
        List<Parsed> parsed = new ArrayList<>();
        try {
            task.parse().forEach(unit -> parsed.add(new Parsed(files.get(parsed.size()), unit, trees)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return parsed;
    }

    private JavaFileObject asInput() {
        return new SimpleJavaFileObject(URI.create("string:///" + path), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }
}
