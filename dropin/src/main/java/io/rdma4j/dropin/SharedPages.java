// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.values.AccessFlag;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Moves pages of the program into files that other processes can map: the one that serves the device, or peers that
 * store into regions. The pages keep their addresses and their contents. A file lives as long as a region uses its
 * pages; the pages stay as they are.
 *
 * <p>A write of another thread to the pages while they are moved is lost, so the program must ask for it: {@code
 * RDMA4J_DROPIN_SHARED_PAGES=on}. Any thread.
 */
final class SharedPages {
    private static final boolean ENABLED = "on".equals(System.getenv("RDMA4J_DROPIN_SHARED_PAGES"));
    private static final int PAGE_BYTES = 4096;
    private static final Path MAPS = Path.of("/proc/self/maps");

    private static final String DELETED = " (deleted)";

    /** A mapping that can be read and written: start, end, private or shared, name. */
    private static final Pattern MAPPING =
            Pattern.compile("(\\p{XDigit}+)-(\\p{XDigit}+) rw-([ps]) \\S+ \\S+ \\d+ *(.*)");

    /** Where the files are, each with a slash at its end. */
    private static final Set<String> FOLDERS = new HashSet<>();

    /** Contexts of devices that another process serves, so that all their memory is shared. */
    private static final Set<Context> SERVED = Collections.newSetFromMap(new WeakHashMap<>());

    /** The moved pages that regions use, by their first address. They do not overlap. */
    private static final TreeMap<Long, Part> PARTS = new TreeMap<>();

    private static final Map<MemoryRegion, List<Part>> USED = new HashMap<>();

    private SharedPages() {}

    /** Pages that were moved together. */
    private static final class Part {
        private final long start;
        private final long end;

        /** Another mapping of the file, which is deleted when this one is unreachable. Regions consist of it. */
        private final MemorySegment file;

        private int users;

        Part(long start, long end, MemorySegment file) {
            this.start = start;
            this.end = end;
            this.file = file;
        }
    }

    /** True if the memory of regions of a context is shared. */
    static synchronized boolean areUsedBy(Context context) {
        return SERVED.contains(context);
    }

    /**
     * True if memory of regions that peers may write to is to be shared, so that they can store into it. Moved pages
     * are not faulted in on demand.
     */
    static boolean areStoredTo(Set<AccessFlag> access) {
        return ENABLED && access.contains(AccessFlag.REMOTE_WRITE) && !access.contains(AccessFlag.ON_DEMAND);
    }

    /** True if memory is to be shared after the device has refused to register that of the program. */
    static synchronized boolean areWanted(ProtectionDomain pd, MemorySegment memory, RdmaException refusal) {
        if (refusal.errno() != Errno.EOPNOTSUPP || !refuses(pd, memory)) {
            return false;
        }
        if (!ENABLED) {
            System.err.println("rdma4j: " + refusal.getMessage() + ". RDMA4J_DROPIN_SHARED_PAGES=on shares the pages"
                    + " with the process that serves the device, see docs/dropin.md");
            return false;
        }
        SERVED.add(pd.context());
        return true;
    }

    /** True if the device refuses the memory itself, and not only the rights that a region has asked for. */
    private static boolean refuses(ProtectionDomain pd, MemorySegment memory) {
        try (MemoryRegion region = pd.registerMemory(memory, Set.of(AccessFlag.LOCAL_WRITE))) {
            return region.lengthBytes() < memory.byteSize();
        } catch (RdmaException e) {
            return e.errno() == Errno.EOPNOTSUPP;
        }
    }

    /** Memory of the program for a region of a device that another process serves. */
    static final class Pieces {
        private final List<Part> parts = new ArrayList<>();
        private final List<MemorySegment> segments = new ArrayList<>();

        /** The memory, as pieces of files that meet at page boundaries. */
        List<MemorySegment> segments() {
            return segments;
        }

        private void add(MemorySegment memory, long from, long to, @Nullable Part part) {
            long start = Math.max(memory.address(), from);
            long end = Math.min(memory.address() + memory.byteSize(), to);
            segments.add(
                    part == null
                            ? CMemory.segment(start, end - start)
                            : part.file.asSlice(start - part.start, end - start));
        }
    }

    /** The region uses the pages until {@link #release(MemoryRegion)}. */
    static synchronized void use(Pieces shared, MemoryRegion region) {
        USED.put(region, shared.parts);
    }

    /** Ends the use of pages for a region that could not be registered. */
    static synchronized void cancel(Pieces shared) {
        shared.parts.forEach(SharedPages::leave);
    }

    /**
     * Moves the pages of memory that are not yet in a file.
     *
     * @throws RdmaException EOPNOTSUPP for memory that is neither a private mapping that can be written nor one of a
     *     file, and for a stack; ENOMEM if there is no room for the file
     */
    static synchronized Pieces share(Context context, MemorySegment memory) {
        Pieces shared = new Pieces();
        long from = memory.address() & -PAGE_BYTES;
        long to = memory.address() + memory.byteSize() + PAGE_BYTES - 1 & -PAGE_BYTES;
        try {
            for (long at = from; at < to; ) {
                Part part = partAt(at);
                long end = part == null ? endOfFile(at, to) : part.end;
                if (end == at) {
                    part = move(context, at, to);
                    end = part.end;
                }
                if (part != null) {
                    part.users++;
                    shared.parts.add(part);
                }
                shared.add(memory, at, end, part);
                at = end;
            }
            return shared;
        } catch (RdmaException e) {
            cancel(shared);
            throw e;
        }
    }

    private static @Nullable Part partAt(long address) {
        Map.Entry<Long, Part> before = PARTS.floorEntry(address);
        return before != null && address < before.getValue().end ? before.getValue() : null;
    }

    /** The end of the program's mapping of a file at an address; the address itself if it is no such mapping. */
    private static long endOfFile(long at, long limit) {
        for (String line : mappings()) {
            Matcher mapping = MAPPING.matcher(line);
            if (mapping.matches() && isFileOfProgram(mapping) && start(mapping) <= at && at < end(mapping)) {
                return Math.min(limit, end(mapping));
            }
        }
        return at;
    }

    private static boolean isFileOfProgram(Matcher mapping) {
        String file = mapping.group(4);
        return mapping.group(3).equals("s") && file.startsWith("/") && !file.endsWith(DELETED) && !isOurs(mapping);
    }

    /** True for pages that a former region has used. */
    private static boolean isOurs(Matcher mapping) {
        return FOLDERS.stream().anyMatch(mapping.group(4)::startsWith);
    }

    /** Moves the pages from an address up to a limit, to those of the next part, or to the end of what can be moved. */
    private static Part move(Context context, long from, long limit) {
        Long next = PARTS.higherKey(from);
        long to = from;
        for (String line : mappings()) {
            Matcher mapping = MAPPING.matcher(line);
            if (mapping.matches() && start(mapping) <= to && canMove(mapping)) {
                to = Math.max(to, end(mapping));
            }
        }
        to = Math.min(to, next == null ? limit : Math.min(limit, next));
        if (to == from) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP,
                    String.format("memory at 0x%x is a stack, read-only, or a mapping that cannot be moved", from));
        }
        MemorySegment file = context.allocateBuffer(to - from, PAGE_BYTES, Arena.ofAuto());
        if (!file.isMapped()) {
            throw new RdmaException(Errno.EOPNOTSUPP, "there is no shared memory for " + (to - from) + " bytes");
        }
        remember(file);
        int errno = CEvents.movePages(from, to - from, file.address());
        if (errno != 0) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP, String.format("the pages at 0x%x cannot be moved: errno %d", from, errno));
        }
        Part part = new Part(from, to, file);
        PARTS.put(from, part);
        return part;
    }

    private static boolean canMove(Matcher mapping) {
        return mapping.group(3).equals("p") ? !mapping.group(4).startsWith("[stack") : isOurs(mapping);
    }

    /** Remembers the folder of a file. */
    private static void remember(MemorySegment file) {
        for (String line : mappings()) {
            Matcher mapping = MAPPING.matcher(line);
            if (mapping.matches() && start(mapping) <= file.address() && file.address() < end(mapping)) {
                String path = mapping.group(4);
                FOLDERS.add(path.substring(0, path.lastIndexOf('/') + 1));
            }
        }
    }

    private static List<String> mappings() {
        try {
            return Files.readAllLines(MAPS);
        } catch (IOException e) {
            throw new RdmaException(Errno.EOPNOTSUPP, "this system does not tell which memory can be shared", e);
        }
    }

    private static long start(Matcher mapping) {
        return Long.parseUnsignedLong(mapping.group(1), 16);
    }

    private static long end(Matcher mapping) {
        return Long.parseUnsignedLong(mapping.group(2), 16);
    }

    /** A region uses its pages no more. */
    static synchronized void release(MemoryRegion region) {
        List<Part> parts = USED.remove(region);
        if (parts != null) {
            parts.forEach(SharedPages::leave);
        }
    }

    /** The context is closed, and its regions with it. */
    static synchronized void releaseAll(Context context) {
        USED.keySet().stream()
                .filter(region -> region.protectionDomain().context().equals(context))
                .toList()
                .forEach(SharedPages::release);
    }

    private static void leave(Part part) {
        if (--part.users == 0) {
            PARTS.remove(part.start);
        }
    }
}
