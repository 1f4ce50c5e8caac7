// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.files;

import io.rdma4j.base.RdmaException;
import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.UsageException;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** {@code ls}: lists directories of {@link MachineFiles}, one name on each line. */
public final class LsCommand implements ShellCommand {
    /** Exit code if a path does not exist, as in GNU ls. */
    private static final int NOT_THERE = 2;

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("MMM ppd HH:mm", Locale.ROOT);

    @Override
    public String name() {
        return "ls";
    }

    @Override
    public String usage() {
        return "ls [-a] [-l] [-d] PATH...";
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        String options = "";
        List<String> paths = new ArrayList<>();
        MachineFiles files = new MachineFiles(session);
        for (String word : words) {
            if (word.startsWith("-")) {
                options += word.substring(1);
            } else {
                paths.addAll(files.matching(word));
            }
        }
        if (paths.isEmpty()) {
            throw new UsageException("a path is missing");
        }
        String unknown = options.replaceAll("[ald1]", "");
        if (!unknown.isEmpty()) {
            throw new UsageException("-" + unknown.charAt(0) + " is unknown");
        }
        return new Listing(session, files, options.contains("l"), options.contains("a"), options.contains("d"))
                .print(paths);
    }

    /** One run of the command. */
    private record Listing(
            ShellSession session, MachineFiles files, boolean isLong, boolean all, boolean foldersThemselves) {
        int print(List<String> paths) {
            int exit = 0;
            List<String> others = new ArrayList<>();
            List<String> folders = new ArrayList<>();
            for (String path : paths) {
                try {
                    (isFolder(path) ? folders : others).add(path);
                } catch (RdmaException e) {
                    session.err()
                            .println("ls: cannot access '" + path + "': "
                                    + e.errno().text());
                    exit = NOT_THERE;
                }
            }
            lines(others, others);
            for (String folder : folders) {
                if (paths.size() > 1) {
                    if (!others.isEmpty() || !folder.equals(folders.getFirst())) {
                        session.out().println();
                    }
                    session.out().println(folder + ":");
                }
                content(folder);
            }
            return exit;
        }

        /** As in GNU ls, {@code -l} shows a link itself and not its directory, unless a slash follows. */
        private boolean isFolder(String path) {
            FileTree tree = files.tree(path);
            FileTree.Node node = isLong && !path.endsWith("/") ? tree.lstat(path) : tree.stat(path);
            return node instanceof FileTree.Folder && !foldersThemselves;
        }

        private void content(String folder) {
            List<String> names = new ArrayList<>(files.tree(folder).list(folder));
            if (all) {
                names.addAll(0, List.of(".", ".."));
            }
            if (isLong) {
                session.out().println("total 0");
            }
            lines(names, names.stream().map(name -> folder + "/" + name).toList());
        }

        private void lines(List<String> names, List<String> paths) {
            if (!isLong) {
                names.forEach(session.out()::println);
                return;
            }
            List<Entry> entries = new ArrayList<>();
            for (int i = 0; i < names.size(); i++) {
                entries.add(entry(names.get(i), paths.get(i)));
            }
            int linkWidth = entries.stream()
                    .mapToInt(entry -> Integer.toString(entry.links).length())
                    .max()
                    .orElse(0);
            int sizeWidth = entries.stream()
                    .mapToInt(entry -> entry.size.length())
                    .max()
                    .orElse(0);
            String time = TIME.format(session.machine().startTime().atZone(ZoneId.systemDefault()));
            for (Entry entry : entries) {
                session.out()
                        .println(entry.mode
                                + String.format(" %" + linkWidth + "d root root ", entry.links)
                                + String.format("%" + sizeWidth + "s ", entry.size)
                                + time
                                + " "
                                + entry.name);
            }
        }

        private Entry entry(String name, String path) {
            FileTree tree = files.tree(path);
            return switch (tree.lstat(path)) {
                case FileTree.Link(String target) -> new Entry("lrwxrwxrwx", 1, "0", name + " -> " + target);
                case FileTree.CharDevice(int major, int minor) ->
                    new Entry("crw-rw-rw-", 1, major + ", " + minor, name);
                case FileTree.Value(var value) ->
                    new Entry(
                            value.isReadOnly() ? "-r--r--r--" : "-rw-r--r--",
                            1,
                            path.startsWith("/sys/") ? "4096" : "0",
                            name);
                case FileTree.Folder _ -> new Entry("drwxr-xr-x", 2 + subfolders(tree, path), "0", name);
            };
        }

        private static int subfolders(FileTree tree, String folder) {
            return (int) tree.list(folder).stream()
                    .filter(name -> tree.lstat(folder + "/" + name) instanceof FileTree.Folder)
                    .count();
        }
    }

    private record Entry(String mode, int links, String size, String name) {}
}
