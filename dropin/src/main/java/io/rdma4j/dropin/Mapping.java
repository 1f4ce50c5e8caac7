// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A mapping of this process that can be read and written, from {@code /proc/self/maps}.
 *
 * @param start address of the first byte
 * @param end address behind the last byte
 * @param isShared true if writes go to the file
 * @param name path of the file, such as {@code [heap]} for other memory, or empty
 * @param isDeleted true if the file has no name any more
 */
record Mapping(long start, long end, boolean isShared, String name, boolean isDeleted) {
    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final int HEX = 16;
    private static final String DELETED = " (deleted)";
    private static final Pattern LINE = Pattern.compile("(\\p{XDigit}+)-(\\p{XDigit}+) rw-([ps]) \\S+ \\S+ \\d+ *(.*)");

    /** Returns all of them, by address. */
    static List<Mapping> all() {
        try {
            return Files.readAllLines(MAPS).stream()
                    .map(LINE::matcher)
                    .filter(Matcher::matches)
                    .map(Mapping::of)
                    .toList();
        } catch (IOException e) {
            throw new RdmaException(Errno.EOPNOTSUPP, "this system does not tell which memory can be shared", e);
        }
    }

    private static Mapping of(Matcher line) {
        String name = line.group(4);
        boolean isDeleted = name.endsWith(DELETED);
        return new Mapping(
                Long.parseUnsignedLong(line.group(1), HEX),
                Long.parseUnsignedLong(line.group(2), HEX),
                line.group(3).equals("s"),
                isDeleted ? name.substring(0, name.length() - DELETED.length()) : name,
                isDeleted);
    }

    boolean has(long address) {
        return start <= address && address < end;
    }

    /** True for memory of the program alone that is not a stack: other pages can take its place. */
    boolean canMove() {
        return !isShared && !name.startsWith("[stack");
    }

    /** True if another process can map the file, too. */
    boolean isFile() {
        return isShared && name.startsWith("/") && !isDeleted;
    }
}
