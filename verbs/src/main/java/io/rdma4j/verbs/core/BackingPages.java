// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.core;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Determines the size of the pages behind memory of this process, from {@code /proc/self/smaps} of Linux. */
public final class BackingPages {
    private static final Path SMAPS = Path.of("/proc/self/smaps");

    /** The first line of each mapping: {@code 7f12a000-7f13a000 rw-p …}. */
    private static final Pattern MAPPING = Pattern.compile("(\\p{XDigit}+)-(\\p{XDigit}+) .*");

    private static final Pattern PAGE_SIZE = Pattern.compile("KernelPageSize: +(\\d+) kB");

    private BackingPages() {}

    /**
     * The size in bytes of the smallest page behind any of {@code pieces}; empty if there are no pieces or the file
     * cannot be read.
     */
    public static OptionalLong smallest(List<MemorySegment> pieces) {
        if (pieces.isEmpty() || !Files.isReadable(SMAPS)) {
            return OptionalLong.empty();
        }
        try (BufferedReader lines = Files.newBufferedReader(SMAPS)) {
            return smallest(lines, pieces);
        } catch (IOException e) {
            // The page size is unknown then.
            return OptionalLong.empty();
        }
    }

    public static OptionalLong smallest(BufferedReader smaps, List<MemorySegment> pieces) throws IOException {
        OptionalLong smallest = OptionalLong.empty();
        boolean concerned = false;
        for (String line = smaps.readLine(); line != null; line = smaps.readLine()) {
            Matcher mapping = MAPPING.matcher(line);
            Matcher pageSize = PAGE_SIZE.matcher(line);
            if (mapping.matches()) {
                long start = Long.parseUnsignedLong(mapping.group(1), 16);
                long end = Long.parseUnsignedLong(mapping.group(2), 16);
                concerned = pieces.stream().anyMatch(piece -> overlaps(piece, start, end));
            } else if (concerned && pageSize.matches()) {
                long bytes = Long.parseLong(pageSize.group(1)) << 10;
                smallest = OptionalLong.of(Math.min(bytes, smallest.orElse(bytes)));
            }
        }
        return smallest;
    }

    private static boolean overlaps(MemorySegment piece, long start, long end) {
        return Long.compareUnsigned(piece.address(), end) < 0
                && Long.compareUnsigned(start, piece.address() + piece.byteSize()) < 0;
    }
}
