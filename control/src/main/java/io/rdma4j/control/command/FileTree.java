package io.rdma4j.control.command;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.Attribute;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Files by absolute path: values, symbolic links and character devices. What a path leads through is a folder. */
final class FileTree {
    /** Links on one way at most, as in Linux. */
    private static final int MAX_LINKS = 40;

    /** What a path stands for. */
    sealed interface Node {}

    /** A folder. */
    record Folder() implements Node {}

    /** A file with a text. */
    record Value(Attribute attribute) implements Node {}

    /** A symbolic link; the target is relative to the folder of the link, or absolute, or names a namespace as {@code net:[4026531840]}. */
    record Link(String target) implements Node {
        private boolean leadsToPath() {
            return !target.contains(":[");
        }
    }

    /** A character device. */
    record CharDevice(int major, int minor) implements Node {}

    private final NavigableMap<String, Node> nodes = new TreeMap<>();

    void value(String path, Attribute attribute) {
        nodes.put(path, new Value(attribute));
    }

    void link(String path, String target) {
        nodes.put(path, new Link(target));
    }

    void folder(String path) {
        nodes.putIfAbsent(path, new Folder());
    }

    void charDevice(String path, int major, int minor) {
        nodes.put(path, new CharDevice(major, minor));
    }

    /** Paths of all values, sorted. */
    List<String> values() {
        return nodes.entrySet().stream()
                .filter(entry -> entry.getValue() instanceof Value)
                .map(Map.Entry::getKey)
                .toList();
    }

    /**
     * The value of a path.
     *
     * @throws RdmaException ENOENT if there is no such file, EINVAL if it is a folder or has no value
     */
    Attribute attribute(String path) {
        return switch (node(resolve(path, true), path)) {
            case Value value -> value.attribute();
            case Folder _ -> throw new RdmaException(Errno.EINVAL, path + ": Is a directory");
            default -> throw new RdmaException(Errno.EINVAL, path + " has no text");
        };
    }

    /**
     * What a path stands for; a link at its end is not followed.
     *
     * @throws RdmaException ENOENT if there is nothing
     */
    Node lstat(String path) {
        return node(resolve(path, false), path);
    }

    /** The same, but a link at its end is followed. */
    Node stat(String path) {
        return node(resolve(path, true), path);
    }

    /**
     * The names in a folder, sorted.
     *
     * @throws RdmaException ENOENT if there is nothing of this path, EINVAL if it is no folder
     */
    SortedSet<String> list(String folder) {
        String path = resolve(folder, true);
        if (!(node(path, folder) instanceof Folder)) {
            throw new RdmaException(Errno.EINVAL, folder + ": Not a directory");
        }
        String prefix = path + "/";
        SortedSet<String> names = new TreeSet<>();
        for (String one : nodes.tailMap(prefix, false).keySet()) {
            if (!one.startsWith(prefix)) {
                break;
            }
            int slash = one.indexOf('/', prefix.length());
            names.add(one.substring(prefix.length(), slash < 0 ? one.length() : slash));
        }
        return names;
    }

    /** The paths that a pattern with {@code *} and {@code ?} means, sorted; the pattern itself if there is none. */
    List<String> matching(String pattern) {
        if (!pattern.startsWith("/") || !isPattern(pattern)) {
            return List.of(pattern);
        }
        List<String> found = List.of("");
        for (String part : pattern.substring(1).split("/", -1)) {
            List<String> deeper = new ArrayList<>();
            found.forEach(folder -> deeper.addAll(matching(folder, part)));
            found = deeper;
        }
        return found.isEmpty() ? List.of(pattern) : found;
    }

    private List<String> matching(String folder, String part) {
        if (!isPattern(part)) {
            return part.isEmpty() || exists(folder + "/" + part) ? List.of(folder + "/" + part) : List.of();
        }
        if (!(exists(folder) && stat(folder) instanceof Folder)) {
            return List.of();
        }
        Pattern regex =
                Pattern.compile(Pattern.quote(part).replace("*", "\\E[^/]*\\Q").replace("?", "\\E[^/]\\Q"));
        return list(folder).stream()
                .filter(name -> regex.matcher(name).matches())
                .map(name -> folder + "/" + name)
                .toList();
    }

    private static boolean isPattern(String text) {
        return text.contains("*") || text.contains("?");
    }

    private boolean exists(String path) {
        try {
            stat(path);
            return true;
        } catch (RdmaException e) {
            return false;
        }
    }

    private Node node(String path, String asked) {
        Node node = nodes.get(path);
        if (node != null) {
            return node;
        }
        String next = nodes.higherKey(path + "/");
        if (next == null || !next.startsWith(path + "/")) {
            throw new RdmaException(Errno.ENOENT, asked + ": " + Errno.ENOENT.text());
        }
        return new Folder();
    }

    /** The path without links, dots and doubled slashes; empty for the root. */
    private String resolve(String path, boolean followLast) {
        if (!path.startsWith("/")) {
            throw new RdmaException(Errno.ENOENT, path + ": " + Errno.ENOENT.text());
        }
        String rest = path;
        String done = "";
        int links = 0;
        while (!rest.isEmpty()) {
            int slash = rest.indexOf('/', 1);
            String part = rest.substring(1, slash < 0 ? rest.length() : slash);
            rest = slash < 0 ? "" : rest.substring(slash);
            String before = done;
            done = step(done, part);
            if (nodes.get(done) instanceof Link link && link.leadsToPath() && (followLast || !rest.isEmpty())) {
                String target = link.target();
                if (++links > MAX_LINKS) {
                    throw new RdmaException(Errno.ELOOP, path + ": " + Errno.ELOOP.text());
                }
                rest = "/" + target + rest;
                done = target.startsWith("/") ? "" : before;
            }
        }
        return done;
    }

    private static String step(String folder, String part) {
        return switch (part) {
            case "", "." -> folder;
            case ".." -> folder.substring(0, Math.max(folder.lastIndexOf('/'), 0));
            default -> folder + "/" + part;
        };
    }
}
