// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.count.profile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where the compiled methods of a JVM are, as the agent {@code bench/agent/codemap.c} has written it. The compiler
 * keeps the methods of some places; an instruction counts for the next such place behind it.
 *
 * <p>For instructions that the compiler adds late, it keeps one arbitrary place of the method, the same for all of
 * them. So the place that occurs most often in a method, if that is often, counts as unknown: the place before it
 * counts.
 */
final class CodeMap {
    private static final int HEX = 16;
    private static final int NAME = 3;

    /** A method with fewer places has no unknown one. */
    private static final int MANY_PLACES = 40;

    /** The unknown place is more than this part of them. */
    private static final int PART = 20;

    /** Code at {@code start}: a method's, or of the JVM; places are addresses with their methods, outermost first. */
    private record Code(long start, long bytes, String name, TreeMap<Long, List<String>> places) {
        /** Removes the unknown place: what is behind the place before it then belongs to that one. */
        void close() {
            Map<List<String>, Long> numbers =
                    places.values().stream().collect(Collectors.groupingBy(place -> place, Collectors.counting()));
            if (places.size() < MANY_PLACES) {
                return;
            }
            List<String> most = Collections.max(numbers.entrySet(), Map.Entry.comparingByValue())
                    .getKey();
            if (numbers.getOrDefault(most, 0L) <= places.size() / PART) {
                return;
            }
            List<String> before = places.firstEntry().getValue();
            for (Map.Entry<Long, List<String>> place : places.entrySet()) {
                if (place.getValue().equals(most)) {
                    place.setValue(before);
                }
                before = place.getValue();
            }
        }

        List<String> methods(long address) {
            Map.Entry<Long, List<String>> next = places.higherEntry(address);
            return next == null ? List.of(name) : next.getValue();
        }
    }

    /** By start address: code that was replaced is no longer there. */
    private final TreeMap<Long, Code> codes = new TreeMap<>();

    private CodeMap() {}

    /** Reads the file of the agent, to which the JVM may still append. */
    static CodeMap read(Path file) throws IOException {
        CodeMap map = new CodeMap();
        List<Code> last = new ArrayList<>();
        try (Stream<String> lines = Files.lines(file)) {
            lines.forEach(line -> map.add(line.split(" ", -1), last));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        map.codes.values().forEach(Code::close);
        return map;
    }

    private void add(String[] words, List<Code> last) {
        long address = Long.parseUnsignedLong(words[1], HEX);
        if (words[0].equals("P")) {
            last.getLast().places().put(address, List.of(words).subList(2, words.length));
            return;
        }
        String name = String.join(" ", List.of(words).subList(NAME, words.length));
        Code code = new Code(address, Long.parseLong(words[2], HEX), name, new TreeMap<>());
        codes.put(address, code);
        last.clear();
        last.add(code);
    }

    /** Returns the methods of an instruction, outermost first; one name for code that is no method's. */
    List<String> methods(long address) {
        Map.Entry<Long, Code> code = codes.floorEntry(address);
        boolean inside =
                code != null && address < code.getKey() + code.getValue().bytes();
        return inside ? code.getValue().methods(address) : List.of("code without a name");
    }
}
