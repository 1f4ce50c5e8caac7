// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base.local;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A directory that no other user (except root) can read, write, replace or rename. Its owner is the user of this
 * process, its mode is 0700, and it is not a symbolic link. No other user can change a directory above it. OpenSSH's
 * {@code StrictModes} requires the same.
 *
 * <p>Only processes of this user can create files in such a directory. Therefore its files may be opened by path.
 */
public final class PrivateDirectory {
    private static final Set<PosixFilePermission> ONLY_OWNER = PosixFilePermissions.fromString("rwx------");
    private static final FileAttribute<?> PRIVATE = PosixFilePermissions.asFileAttribute(ONLY_OWNER);

    private static final int ROOT_UID = 0;
    private static final int TYPE_MASK = 0170000;
    private static final int LINK = 0120000;
    private static final int STICKY = 01000;
    private static final int WRITABLE_BY_OTHERS = 022;
    private static final int PERMISSIONS = 07777;

    private PrivateDirectory() {}

    /**
     * Creates a private directory with its missing parents, or checks an existing one.
     *
     * @param path of the directory
     * @throws AccessDeniedException if another user can change the directory; the message contains the user and a
     *     remedy
     * @throws IOException if it cannot be created
     */
    public static void create(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectories(path, PRIVATE);
        }
        check(path);
    }

    /**
     * Checks that a directory is private.
     *
     * @param path of the directory
     * @throws NoSuchFileException if there is none
     * @throws AccessDeniedException if another user can change the directory; the message contains the user and a
     *     remedy
     * @throws IOException if the system does not report owner or mode
     */
    public static void check(Path path) throws IOException {
        int self = LocalUser.uid();
        Path directory = path.toAbsolutePath().normalize();
        Status status = Status.of(directory);
        if (status.isLink()) {
            throw denied(directory, "is a symbolic link: name the folder itself");
        }
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            throw denied(directory, "is not a folder: remove it, or name another folder");
        }
        if (status.uid() != self) {
            throw denied(
                    directory,
                    "belongs to uid " + text(status.uid()) + ", and this process runs as uid " + text(self)
                            + ": let its owner or root remove it, or name another folder");
        }
        if (!Files.getPosixFilePermissions(directory, LinkOption.NOFOLLOW_LINKS).equals(ONLY_OWNER)) {
            throw denied(
                    directory,
                    String.format(
                            "of uid %s has mode %04o, and other users must have no access: run chmod 700 on it",
                            text(self), status.mode() & PERMISSIONS));
        }
        checkAncestors(
                directory,
                List.of(self, ROOT_UID, Status.of(directory.getRoot()).uid()));
    }

    /** Trusts the owner of the file system's root as well: in a user namespace root may have another number. */
    private static void checkAncestors(Path directory, List<Integer> trusted) throws IOException {
        for (Path above = directory.getParent(); above != null; above = above.getParent()) {
            Status status = Status.of(above);
            if (!trusted.contains(status.uid())) {
                throw denied(
                        directory,
                        "lies in " + above + ", which belongs to uid " + text(status.uid())
                                + ": name a folder that no other user can replace");
            }
            if (status.isLink()) {
                checkAncestors(above.toRealPath().resolve(directory.getFileName()), trusted);
            } else if (status.isWritableByOthers()) {
                throw denied(
                        directory,
                        String.format(
                                "lies in %s of uid %s and mode %04o, where other users can replace it: run chmod go-w"
                                        + " on that folder, or name another one",
                                above, text(status.uid()), status.mode() & PERMISSIONS));
            }
        }
    }

    /** Owner and mode of a file itself, without following links. */
    private record Status(int uid, int mode) {
        static Status of(Path file) throws IOException {
            Object uid = Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            Object mode = Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            if (uid instanceof Integer owner && mode instanceof Integer bits) {
                return new Status(owner, bits);
            }
            throw new IOException(file + ": this system does not tell owner and mode");
        }

        boolean isLink() {
            return (mode & TYPE_MASK) == LINK;
        }

        /** In a sticky directory another user can replace only their own files. */
        boolean isWritableByOthers() {
            return (mode & WRITABLE_BY_OTHERS) != 0 && (mode & STICKY) == 0;
        }
    }

    private static String text(int uid) {
        return Integer.toUnsignedString(uid);
    }

    private static AccessDeniedException denied(Path path, String reason) {
        return new AccessDeniedException(path.toString(), null, reason);
    }

    /**
     * Checks that a file is a regular file of this user, and not a link.
     *
     * @param file any path
     * @throws AccessDeniedException if it is not a regular file, or belongs to another user
     * @throws IOException if it does not exist
     */
    public static void checkFile(Path file) throws IOException {
        int self = LocalUser.uid();
        Status status = Status.of(file);
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw denied(file, "is not a regular file");
        }
        if (status.uid() != self) {
            throw denied(file, "belongs to uid " + text(status.uid()) + ", and this process runs as uid " + text(self));
        }
    }

    /**
     * Writes a file of a private directory atomically: a reader sees the old file or the new one. Replaces a link, does
     * not follow it.
     *
     * @param file in a private directory
     * @param text written as UTF-8
     * @throws IOException if that fails
     */
    public static void write(Path file, String text) throws IOException {
        String random = Long.toHexString(ThreadLocalRandom.current().nextLong());
        Path draft = file.resolveSibling("." + file.getFileName() + "-" + random);
        Files.writeString(
                draft, text, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * Deletes a file, or a directory with its content. Links are deleted and never followed, even if another process
     * creates them meanwhile. Missing files are ignored.
     *
     * @param top file or directory to delete
     * @throws IOException if something cannot be deleted
     */
    public static void deleteTree(Path top) throws IOException {
        Path absolute = top.toAbsolutePath().normalize();
        Path parent = absolute.getParent();
        if (parent == null) {
            throw denied(absolute, "is the root of the file system");
        }
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(parent)) {
            delete(secure(stream, parent), absolute.getFileName());
        } catch (NoSuchFileException e) {
            // The parent directory does not exist either.
        }
    }

    private static SecureDirectoryStream<Path> secure(@Nullable DirectoryStream<Path> stream, Path path)
            throws IOException {
        if (stream instanceof SecureDirectoryStream<Path> secure) {
            return secure;
        }
        throw new IOException(path + ": this system cannot delete without following links");
    }

    private static void delete(SecureDirectoryStream<Path> directory, Path name) throws IOException {
        try {
            BasicFileAttributes attributes = directory
                    .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes();
            if (!attributes.isDirectory()) {
                directory.deleteFile(name);
                return;
            }
            try (SecureDirectoryStream<Path> inside = directory.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                for (Path file : inside) {
                    delete(inside, file.getFileName());
                }
            }
            directory.deleteDirectory(name);
        } catch (NoSuchFileException e) {
            // Another process has deleted the file.
        }
    }
}
