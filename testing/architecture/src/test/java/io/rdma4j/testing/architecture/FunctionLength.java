package io.rdma4j.testing.architecture;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import java.util.Map;
import java.util.TreeMap;

/** How long the functions of a source are: lines of the body, from its opening brace to its closing one. */
final class FunctionLength {
    /** Lines. */
    static final int LIMIT = 60;

    private FunctionLength() {}

    /** {@code PATH#NAME} to the number of lines, for each function that is too long; of overloads the longest counts. */
    static Map<String, Integer> tooLong(SourceFile file) {
        Map<String, Integer> tooLong = new TreeMap<>();
        SourceFile.Parsed parsed = file.parse();
        new TreeScanner<Void, String>() {
            @Override
            public Void visitMethod(MethodTree method, String outer) {
                return super.visitMethod(method, method.getName().toString());
            }

            @Override
            public Void visitBlock(BlockTree block, String function) {
                int lines = lines(parsed, block);
                if (lines > LIMIT) {
                    tooLong.merge(file.path() + "#" + function, lines, Math::max);
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
