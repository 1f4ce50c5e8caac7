// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import java.util.Map;
import java.util.TreeMap;

/** Measures the length of functions: lines of the body, from its opening to its closing brace. */
final class FunctionLength {
    /** Maximum number of lines. */
    static final int LIMIT = 60;

    private FunctionLength() {}

    /** Number of lines by {@code PATH#NAME} of each function above the limit; for overloads, of the longest one. */
    static Map<String, Integer> tooLong(SourceFile.Parsed parsed) {
        Map<String, Integer> tooLong = new TreeMap<>();
        new TreeScanner<Void, String>() {
            @Override
            public Void visitMethod(MethodTree method, String outer) {
                return super.visitMethod(method, method.getName().toString());
            }

            @Override
            public Void visitBlock(BlockTree block, String function) {
                int lines = lines(parsed, block);
                if (lines > LIMIT) {
                    tooLong.merge(parsed.file().path() + "#" + function, lines, Math::max);
                }
                return super.visitBlock(block, function);
            }
        }.scan(parsed.unit(), "initializer");
        return tooLong;
    }

    private static int lines(SourceFile.Parsed parsed, BlockTree block) {
        SourcePositions positions = parsed.trees().getSourcePositions();
        long first = parsed.line(positions.getStartPosition(parsed.unit(), block));
        long last = parsed.line(positions.getEndPosition(parsed.unit(), block));
        return (int) (last - first + 1);
    }
}
