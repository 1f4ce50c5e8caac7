// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.files;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.DeviceAttribute;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Files by absolute path: values, symbolic links and character devices. The parents of a path are directories. */
public final class FileTree {
    /** Maximum number of links that a path may follow, as in Linux. */
    private static final int MAX_LINKS = 40;

    /** A file or directory. */
    sealed interface Node {}

    /** A directory. */
    record Folder() implements Node {}

    /** A file with text. */
    record Value(DeviceAttribute attribute) implements Node {}

    /**
     * A symbolic link. The target is absolute, or relative to the link's directory, or a namespace such as {@code
     * net:[4026531840]}.
     */
    public record Link(String target) implements Node {
        private boolean leadsToPath() {
            return !target.contains(":[");
        }
    }

    /** A character device. */
    record CharDevice(int major, int minor) implements Node {}

    private final NavigableMap<String, Node> nodes = new TreeMap<>();

    public void value(String path, DeviceAttribute attribute) {
        nodes.put(path, new Value(attribute));
    }

    public void link(String path, String target) {
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
     * Returns the value of a path.
     *
     * @throws RdmaException ENOENT if there is no such file, EINVAL if it is a directory or has no value
     */
    public DeviceAttribute attribute(String path) {
        return switch (node(resolve(path, true), path)) {
            case Value value -> value.attribute();
            case Folder _ -> throw new RdmaException(Errno.EINVAL, path + ": Is a directory");
            default -> throw new RdmaException(Errno.EINVAL, path + " has no text");
        };
    }

    /**
     * Returns the node of a path, without following a link at its end.
     *
     * @throws RdmaException ENOENT if it does not exist
     */
    public Node lstat(String path) {
        return node(resolve(path, false), path);
    }

    /** The same, but follows a link at the end of the path. */
    public Node stat(String path) {
        return node(resolve(path, true), path);
    }

    /**
     * Returns the names in a directory, sorted.
     *
     * @throws RdmaException ENOENT if the path does not exist, EINVAL if it is not a directory
     */
    public SortedSet<String> list(String folder) {
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

    /**
     * Returns the paths that match a pattern with {@code *} and {@code ?}, sorted; the pattern itself if none matches.
     */
    public List<String> matching(String pattern) {
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

    /** Returns the path without links, dots and doubled slashes; empty for the root. */
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
