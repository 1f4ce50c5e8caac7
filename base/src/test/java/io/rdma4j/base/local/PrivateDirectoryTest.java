// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PrivateDirectoryTest {
    private static final int NOBODY = 65534;

    @TempDir
    private Path folder;

    private static void setMode(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    private static void assertDenied(String part, ThrowingCallable call) {
        assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(call).withMessageContaining(part);
    }

    @Test
    void aNewDirectoryIsPrivateAndSoAreThoseMadeAboveIt() throws IOException {
        Path made = folder.resolve("above/private");
        PrivateDirectory.create(made);
        for (Path path : new Path[] {made, made.getParent()}) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rwx------");
        }
        assertThatCode(() -> PrivateDirectory.create(made)).doesNotThrowAnyException();
    }

    @Test
    void aDirectoryThatOthersMayEnterIsRefusedWithTheRemedy() throws IOException {
        Path open = Files.createDirectory(folder.resolve("open"));
        setMode(open, "rwxr-xr-x");
        assertDenied("mode 0755", () -> PrivateDirectory.create(open));
        assertDenied("run chmod 700 on it", () -> PrivateDirectory.check(open));
        setMode(open, "rwx------");
        PrivateDirectory.check(open);
    }

    @Test
    void aDirectoryOfAnotherUserIsRefusedWithItsOwner() throws IOException {
        assumeTrue(LocalUser.uid() == 0, "only root can give a folder away");
        Path foreign = folder.resolve("foreign");
        PrivateDirectory.create(foreign);
        Files.setAttribute(foreign, "unix:uid", NOBODY);
        assertDenied("belongs to uid 65534, and this process runs as uid 0", () -> PrivateDirectory.create(foreign));
        PrivateDirectory.deleteTree(foreign);
    }

    @Test
    void aLinkToAPrivateDirectoryIsRefused() throws IOException {
        Path real = folder.resolve("real");
        PrivateDirectory.create(real);
        Path link = Files.createSymbolicLink(folder.resolve("link"), real);
        assertDenied("is a symbolic link", () -> PrivateDirectory.create(link));
    }

    @Test
    void aFileInItsPlaceIsRefusedAndAMissingDirectoryIsNamed() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        assertDenied("is not a folder", () -> PrivateDirectory.create(file));
        assertThatExceptionOfType(NoSuchFileException.class)
                .isThrownBy(() -> PrivateDirectory.check(folder.resolve("missing")));
    }

    /** Another user could rename the directory and replace it with their own. */
    @Test
    void aDirectoryBelowOneThatOthersCanChangeIsRefused() throws IOException {
        Path above = Files.createDirectory(folder.resolve("above"));
        Path directory = above.resolve("private");
        PrivateDirectory.create(directory);
        setMode(above, "rwxrwxrwx");
        assertDenied("other users can replace it", () -> PrivateDirectory.check(directory));
        Files.setAttribute(above, "unix:mode", 01777);
        PrivateDirectory.check(directory);
    }

    @Test
    void aDirectoryBelowOneOfAnotherUserIsRefusedAlsoBehindALink() throws IOException {
        assumeTrue(LocalUser.uid() == 0, "only root can give a folder away");
        Path above = Files.createDirectory(folder.resolve("above"));
        Path directory = above.resolve("private");
        PrivateDirectory.create(directory);
        Path link = Files.createSymbolicLink(folder.resolve("link"), above);
        PrivateDirectory.check(link.resolve("private"));
        Files.setAttribute(above, "unix:uid", NOBODY);
        assertDenied("which belongs to uid 65534", () -> PrivateDirectory.check(directory));
        assertDenied("which belongs to uid 65534", () -> PrivateDirectory.check(link.resolve("private")));
        Files.setAttribute(above, "unix:uid", 0);
    }

    @Test
    void writingReplacesALinkAndLeavesItsTargetAlone() throws IOException {
        Path target = Files.writeString(folder.resolve("target"), "precious");
        Path file = Files.createSymbolicLink(folder.resolve("file"), target);
        PrivateDirectory.write(file, "new");
        assertThat(file).hasContent("new").isRegularFile();
        assertThat(Files.isSymbolicLink(file)).isFalse();
        assertThat(target).hasContent("precious");
        assertThat(folder).isDirectoryNotContaining("glob:**/.file*");
    }

    @Test
    void deletingATreeLeavesWhatItsLinksLeadTo() throws IOException {
        Path outside = Files.createDirectory(folder.resolve("outside"));
        Path kept = Files.writeString(outside.resolve("kept"), "precious");
        Path tree = Files.createDirectory(folder.resolve("tree"));
        Path below = Files.createDirectory(tree.resolve("below"));
        Files.createSymbolicLink(below.resolve("folder"), outside);
        Files.createSymbolicLink(below.resolve("file"), kept);
        Files.writeString(below.resolve("file2"), "");
        PrivateDirectory.deleteTree(tree);
        assertThat(tree).doesNotExist();
        assertThat(kept).hasContent("precious");

        Path link = Files.createSymbolicLink(folder.resolve("link"), outside);
        PrivateDirectory.deleteTree(link);
        assertThat(Files.isSymbolicLink(link)).isFalse();
        assertThat(kept).hasContent("precious");
        PrivateDirectory.deleteTree(link);
    }

    @Test
    void onlyRegularFilesOfThisUserAreFilesToMap() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        PrivateDirectory.checkFile(file);
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        assertDenied("is not a regular file", () -> PrivateDirectory.checkFile(link));
        assertDenied("is not a regular file", () -> PrivateDirectory.checkFile(folder));
        assertDenied("is not a regular file", () -> PrivateDirectory.checkFile(Path.of("/dev/zero")));
        if (LocalUser.uid() == 0) {
            Files.setAttribute(file, "unix:uid", NOBODY);
            assertDenied("belongs to uid 65534", () -> PrivateDirectory.checkFile(file));
        }
    }
}
