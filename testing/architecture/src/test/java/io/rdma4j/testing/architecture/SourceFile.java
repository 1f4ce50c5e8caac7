// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
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
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavacTask task =
                (JavacTask) compiler.getTask(null, null, null, List.of("-proc:none"), null, List.of(asInput()));
        try {
            return new Parsed(this, task.parse().iterator().next(), Trees.instance(task));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
