// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MrInitAttributes;
import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Moves pages of the program into files that other processes can map: the one that serves the device, or peers that
 * store into regions. The pages keep their addresses and their contents. They move back when no region uses them. A
 * child of fork gets copies of its own.
 *
 * <p>While pages move, threads that write to them wait, but a system call that writes to them fails. So pages move only
 * while the program has one thread. Those that peers store into must be whole pages that no other region uses. {@code
 * RDMA4J_DROPIN_SHARED_PAGES=on} removes these conditions, {@code off} leaves all pages where they are. Any thread.
 */
final class SharedPages {
    private static final @Nullable String WISH = System.getenv("RDMA4J_DROPIN_SHARED_PAGES");
    private static final boolean ALWAYS = "on".equals(WISH);
    private static final boolean NEVER = "off".equals(WISH);
    private static final int PAGE_BYTES = 4096;

    /** Moves in the life of a process, unless the user wants all: peers map a limited number of files. */
    private static final int MAX_MOVES = 1024;

    private static final File ROOM = new File("/dev/shm");

    /** Contexts of devices that another process serves, so that all their memory is shared. */
    private static final Set<Context> SERVED = Collections.newSetFromMap(new WeakHashMap<>());

    /** The moved pages, by their first address. They do not overlap. */
    private static final TreeMap<Long, Part> PARTS = new TreeMap<>();

    private static final Map<MemoryRegion, Use> USES = new HashMap<>();
    private static int moves;

    private SharedPages() {}

    /** Pages that were moved together. */
    private static final class Part {
        private final long start;
        private final long end;

        /** Of the other mapping of the file, which is deleted when the arena is closed. */
        private final Arena arena;

        /** The other mapping. Regions consist of it. */
        private final MemorySegment file;

        private int users;

        Part(long start, long end, Arena arena, MemorySegment file) {
            this.start = start;
            this.end = end;
            this.arena = arena;
            this.file = file;
        }

        /** Returns the mappings of the pages that the program has left as they are. */
        List<Mapping> mappings() {
            List<Mapping> all = Mapping.all();
            String path = all.stream()
                    .filter(mapping -> mapping.has(file.address()))
                    .findFirst()
                    .orElseThrow()
                    .name();
            return all.stream()
                    .filter(mapping -> start < mapping.end()
                            && mapping.start() < end
                            && mapping.name().equals(path))
                    .toList();
        }
    }

    /**
     * Memory that a region uses.
     *
     * @param start address of the first byte
     * @param end address behind the last byte
     * @param parts the moved pages in it
     * @param segments the memory, as pieces of files that meet at page boundaries; empty if the region is not shared
     */
    record Use(long start, long end, List<Part> parts, List<MemorySegment> segments) {
        private boolean meets(long from, long to) {
            return (start & -PAGE_BYTES) < to && from < end;
        }

        private void add(MemorySegment memory, long from, long to, @Nullable Part part) {
            long first = Math.max(memory.address(), from);
            long length = Math.min(end, to) - first;
            segments.add(part == null ? CMemory.segment(first, length) : part.file.asSlice(first - part.start, length));
            if (part != null) {
                part.users++;
                parts.add(part);
            }
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
    static synchronized boolean areStoredTo(MemorySegment memory, MrInitAttributes asked) {
        if (NEVER
                || !asked.access().contains(AccessFlag.REMOTE_WRITE)
                || asked.access().contains(AccessFlag.ON_DEMAND)) {
            return false;
        }
        long start = memory.address();
        long bytes = memory.byteSize();
        return ALWAYS
                || (start | bytes) % PAGE_BYTES == 0
                        && moves < MAX_MOVES
                        && bytes < ROOM.getUsableSpace() / 2
                        && USES.values().stream().noneMatch(use -> use.meets(start, start + bytes))
                        && CEvents.isOnlyThread();
    }

    /** True if memory is to be shared after the device has refused to register that of the program. */
    static synchronized boolean areWanted(ProtectionDomain pd, MemorySegment memory, RdmaException refusal) {
        if (refusal.errno() != Errno.EOPNOTSUPP || !refuses(pd, memory)) {
            return false;
        }
        if (NEVER || !ALWAYS && !CEvents.isOnlyThread()) {
            System.err.println("rdma4j: " + refusal.getMessage() + ". RDMA4J_DROPIN_SHARED_PAGES=on shares the pages"
                    + " with the process that serves the device, also in a program with several threads, see"
                    + " docs/dropin.md");
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

    /** The region uses the memory until {@link #release(MemoryRegion)}. */
    static synchronized void use(Use use, MemoryRegion region) {
        USES.put(region, use);
    }

    /** Ends the use of pages for a region that could not be registered. */
    static synchronized void cancel(Use use) {
        use.parts.forEach(SharedPages::leave);
    }

    /** The program's own memory for a region. Pages of it that other regions have moved stay where they are. */
    static synchronized Use own(MemorySegment memory) {
        long end = memory.address() + memory.byteSize();
        List<Part> parts = PARTS.headMap(end).values().stream()
                .filter(part -> memory.address() < part.end)
                .toList();
        parts.forEach(part -> part.users++);
        return new Use(memory.address(), end, parts, List.of());
    }

    /**
     * Moves the pages of memory that are not yet in a file.
     *
     * @throws RdmaException EOPNOTSUPP for memory that is neither a private mapping that can be written nor one of a
     *     file, and for a stack; ENOMEM if there is no room for the file
     */
    static synchronized Use share(Context context, MemorySegment memory) {
        Use use = new Use(memory.address(), memory.address() + memory.byteSize(), new ArrayList<>(), new ArrayList<>());
        long from = memory.address() & -PAGE_BYTES;
        long to = use.end + PAGE_BYTES - 1 & -PAGE_BYTES;
        try {
            List<Mapping> mappings = Mapping.all();
            for (long at = from; at < to; ) {
                Part part = partAt(at);
                long end = part == null ? endOfFile(mappings, at, to) : part.end;
                if (end == at) {
                    part = move(context, mappings, at, to);
                    end = part.end;
                }
                use.add(memory, at, end, part);
                at = end;
            }
            return use;
        } catch (RdmaException e) {
            cancel(use);
            throw e;
        }
    }

    private static @Nullable Part partAt(long address) {
        Map.Entry<Long, Part> before = PARTS.floorEntry(address);
        return before != null && address < before.getValue().end ? before.getValue() : null;
    }

    /** The end of the program's mapping of a file at an address; the address itself if it is no such mapping. */
    private static long endOfFile(List<Mapping> mappings, long at, long limit) {
        return mappings.stream()
                .filter(mapping -> mapping.has(at) && mapping.isFile())
                .mapToLong(mapping -> Math.min(limit, mapping.end()))
                .findFirst()
                .orElse(at);
    }

    /** Moves the pages from an address up to a limit, to those of the next part, or to the end of what can be moved. */
    private static Part move(Context context, List<Mapping> mappings, long from, long limit) {
        Long next = PARTS.higherKey(from);
        long to = from;
        for (Mapping mapping : mappings) {
            if (mapping.has(to) && mapping.canMove()) {
                to = mapping.end();
            }
        }
        to = Math.min(to, next == null ? limit : Math.min(limit, next));
        if (to == from) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP,
                    String.format("memory at 0x%x is a stack, read-only, or a mapping that cannot be moved", from));
        }
        moves++;
        Arena arena = Arena.ofShared();
        try {
            MemorySegment file = context.allocateBuffer(to - from, PAGE_BYTES, arena);
            if (!file.isMapped()) {
                throw new RdmaException(Errno.EOPNOTSUPP, "there is no shared memory for " + (to - from) + " bytes");
            }
            int errno = CEvents.movePages(from, to - from, file.address());
            if (errno != 0) {
                throw new RdmaException(
                        Errno.EOPNOTSUPP, String.format("the pages at 0x%x cannot be moved: errno %d", from, errno));
            }
            Part part = new Part(from, to, arena, file);
            PARTS.put(from, part);
            return part;
        } catch (RdmaException e) {
            arena.close();
            throw e;
        }
    }

    /** A region uses its memory no more. */
    static synchronized void release(MemoryRegion region) {
        Use use = USES.remove(region);
        if (use != null) {
            use.parts.forEach(SharedPages::leave);
        }
    }

    /** The context is closed, and its regions with it. */
    static synchronized void releaseAll(Context context) {
        USES.keySet().stream()
                .filter(region -> region.protectionDomain().context().equals(context))
                .toList()
                .forEach(SharedPages::release);
    }

    /** Moves pages back that no region uses; those for which there is no memory stay as they are. */
    private static void leave(Part part) {
        if (--part.users > 0) {
            return;
        }
        int errno = 0;
        for (Mapping mapping : part.mappings()) {
            long from = Math.max(part.start, mapping.start());
            errno |= CEvents.movePages(from, Math.min(part.end, mapping.end()) - from, 0);
        }
        if (errno == 0) {
            PARTS.remove(part.start);
            part.arena.close();
        }
    }

    /** Copies the moved pages for a child of fork. */
    static synchronized int beforeFork() {
        for (Part part : PARTS.values()) {
            for (Mapping mapping : part.mappings()) {
                long from = Math.max(part.start, mapping.start());
                CEvents.copyForChild(from, Math.min(part.end, mapping.end()) - from);
            }
        }
        return 0;
    }
}
