// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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

    /** Words of a line before the name: addresses, rights, offset, device, number of the file. */
    private static final int WORDS = 5;

    /** Returns all of them, by address. */
    static List<Mapping> all() {
        try {
            List<Mapping> mappings = new ArrayList<>();
            for (String line : Files.readAllLines(MAPS, StandardCharsets.ISO_8859_1)) {
                int rights = line.indexOf(' ') + 1;
                if (line.startsWith("rw-", rights)) {
                    mappings.add(of(line, rights));
                }
            }
            return mappings;
        } catch (IOException e) {
            throw new RdmaException(Errno.EOPNOTSUPP, "this system does not tell which memory can be shared", e);
        }
    }

    private static Mapping of(String line, int rights) {
        int dash = line.indexOf('-');
        int name = rights;
        for (int i = 1; i < WORDS; i++) {
            name = line.indexOf(' ', name) + 1;
        }
        String path = line.substring(name).strip();
        boolean isDeleted = path.endsWith(DELETED);
        return new Mapping(
                Long.parseUnsignedLong(line, 0, dash, HEX),
                Long.parseUnsignedLong(line, dash + 1, rights - 1, HEX),
                line.charAt(rights + 3) == 's',
                isDeleted ? path.substring(0, path.length() - DELETED.length()) : path,
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
