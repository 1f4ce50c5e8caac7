// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.ops;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.hca.NumberTable;
import io.rdma4j.verbs.values.XrcdInitAttributes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The XRC domains of a device that contexts share, by the inode of their file. Corresponds to {@code xrcd_tree} of
 * {@code struct ib_uverbs_device}. Any thread.
 */
final class XrcDomains {
    private final NumberTable<HcaSrq> queues;
    private final Map<Object, Shared> byInode = new HashMap<>();

    /** @param queues all shared receive queues of the device */
    XrcDomains(NumberTable<HcaSrq> queues) {
        this.queues = queues;
    }

    private static final class Shared {
        private final HcaXrcd domain;
        private int openings;

        Shared(HcaXrcd domain) {
            this.domain = domain;
        }
    }

    /** @throws RdmaException ENOENT, EAGAIN or EINVAL as in {@link io.rdma4j.verbs.spi.ContextOps#openXrcDomain} */
    synchronized HcaXrcd open(XrcdInitAttributes attributes) {
        Path file = attributes.file();
        if (file == null) {
            return new HcaXrcd(queues, this::close);
        }
        Object inode = inode(file);
        Shared shared = byInode.get(inode);
        if (shared == null && !attributes.create()) {
            throw new RdmaException(Errno.EAGAIN, "no XRC domain of " + file + " is open, and none is to be made");
        }
        if (shared != null && attributes.exclusive()) {
            throw new RdmaException(Errno.EINVAL, "the XRC domain of " + file + " is open already");
        }
        if (shared == null) {
            shared = new Shared(new HcaXrcd(queues, this::close));
            byInode.put(inode, shared);
        }
        shared.openings++;
        return shared.domain;
    }

    private static Object inode(Path file) {
        try {
            @Nullable
            Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
            return Objects.requireNonNullElse(key, file.toRealPath());
        } catch (IOException e) {
            throw new RdmaException(Errno.ENOENT, file + " cannot name an XRC domain: it cannot be read", e);
        }
    }

    /** Closes one opening of a domain. Domains without a file are not in the map. */
    @SuppressWarnings("ReferenceEquality") // one object per domain
    private synchronized void close(HcaXrcd domain) {
        byInode.values().removeIf(shared -> shared.domain == domain && --shared.openings == 0);
    }
}
