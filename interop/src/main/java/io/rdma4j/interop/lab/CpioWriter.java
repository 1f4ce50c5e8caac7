// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Locale;

/** Writes an archive in the format of the Linux initramfs: {@code cpio -H newc}, see initramfs's buffer format. */
final class CpioWriter implements AutoCloseable {
    /** File type bits of {@code st_mode}. */
    private static final int DIRECTORY = 0040000;

    private static final int REGULAR = 0100000;
    private static final int LINK = 0120000;
    private static final int ALIGNMENT = 4;

    private final OutputStream out;
    private int inode = 1;

    /** @param out closed with this writer */
    CpioWriter(OutputStream out) {
        this.out = out;
    }

    /**
     * Adds a file, a directory or a symbolic link of the disk; its owner becomes root.
     *
     * @param name in the archive, without leading slash
     */
    void add(String name, Path file) throws IOException {
        if (Files.isSymbolicLink(file)) {
            byte[] target = Files.readSymbolicLink(file).toString().getBytes(StandardCharsets.UTF_8);
            entry(name, LINK | 0777, target.length);
            body(target);
        } else if (Files.isDirectory(file)) {
            entry(name, DIRECTORY | mode(file), 0);
        } else if (Files.isRegularFile(file)) {
            add(name, mode(file), Files.readAllBytes(file));
        }
    }

    /** Adds a file that is not on disk. */
    void add(String name, int mode, byte[] content) throws IOException {
        entry(name, REGULAR | mode, content.length);
        body(content);
    }

    private static int mode(Path file) throws IOException {
        return (Integer) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS) & 07777;
    }

    private void entry(String name, int mode, int size) throws IOException {
        byte[] path = (name + "\0").getBytes(StandardCharsets.UTF_8);
        String header = String.format(
                Locale.ROOT,
                // inode, mode, owner, group, links, time, size, device, rdev, length of the name, checksum
                "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x",
                inode++,
                mode,
                0,
                0,
                1,
                0,
                size,
                0,
                0,
                0,
                0,
                path.length,
                0);
        out.write(header.getBytes(StandardCharsets.US_ASCII));
        out.write(path);
        pad(header.length() + path.length);
    }

    private void body(byte[] content) throws IOException {
        out.write(content);
        pad(content.length);
    }

    private void pad(int written) throws IOException {
        out.write(new byte[-written & ALIGNMENT - 1]);
    }

    /** Writes the end of the archive. */
    @Override
    public void close() throws IOException {
        entry("TRAILER!!!", 0, 0);
        out.close();
    }
}
