package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Which XRC domain is to be opened. Answers to {@code struct ibv_xrcd_init_attr}; immutable.
 *
 * <p>Contexts of a device that open a domain with the same file share the domain, in whichever process they are. The file only names it:
 * device and inode count, the contents do not matter.
 *
 * @param file {@code fd}: what names the domain; null for a domain of this context alone
 * @param create {@code O_CREAT}: makes the domain if it is not open
 * @param exclusive {@code O_EXCL}: refuses a domain that is open
 */
public record XrcdInitAttributes(@Nullable Path file, boolean create, boolean exclusive) {
    /**
     * Checks that the parts agree.
     *
     * @throws RdmaException EINVAL for a domain without a file that is not to be made
     */
    public XrcdInitAttributes {
        if (file == null && !create) {
            throw new RdmaException(Errno.EINVAL, "an XRC domain without a file cannot be found: set create");
        }
    }

    /** {@return a domain of this context alone ({@code fd} is -1)} */
    public static XrcdInitAttributes ofContext() {
        return new XrcdInitAttributes(null, true, false);
    }

    /**
     * {@return the domain that a file names, made if it is not open}
     *
     * @param file that is there
     */
    public static XrcdInitAttributes shared(Path file) {
        return new XrcdInitAttributes(file, true, false);
    }
}
