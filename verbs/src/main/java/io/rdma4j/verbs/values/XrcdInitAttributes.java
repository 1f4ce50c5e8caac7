// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Selects the XRC domain to open; immutable. Corresponds to {@code struct ibv_xrcd_init_attr}.
 *
 * <p>Contexts of a device that open a domain with the same file share the domain, also across processes. The file only
 * identifies the domain, by device and inode; its contents are not used.
 *
 * @param file {@code fd}: identifies the domain; null for a private domain of this context
 * @param create {@code O_CREAT}: creates the domain if it is not open
 * @param exclusive {@code O_EXCL}: fails if the domain is already open
 */
public record XrcdInitAttributes(@Nullable Path file, boolean create, boolean exclusive) {
    /**
     * Checks that the parts agree.
     *
     * @throws RdmaException EINVAL for a domain without a file and without {@code create}
     */
    public XrcdInitAttributes {
        if (file == null && !create) {
            throw new RdmaException(Errno.EINVAL, "an XRC domain without a file cannot be found: set create");
        }
    }

    /** {@return attributes of a private domain of this context ({@code fd} is -1)} */
    public static XrcdInitAttributes ofContext() {
        return new XrcdInitAttributes(null, true, false);
    }

    /**
     * {@return attributes of the domain of a file, which is created if it is not open}
     *
     * @param file an existing file
     */
    public static XrcdInitAttributes shared(Path file) {
        return new XrcdInitAttributes(file, true, false);
    }
}
