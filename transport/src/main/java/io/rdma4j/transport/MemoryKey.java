package io.rdma4j.transport;

import org.jspecify.annotations.Nullable;

/**
 * An entry of the device's table of keys: a region, or a window on one. Answers to {@code rxe_mr} and {@code rxe_mw}.
 *
 * <p>Its state belongs to whoever owns the port loop; {@link #handle()} and the protection domain never change.
 */
public abstract sealed class MemoryKey permits RegionKey, WindowKey {
    static final int VARIANT_MASK = 0xFF;

    /** Belongs to all protection domains. */
    static final Object ANY_DOMAIN = new Object();

    private final Object protectionDomain;
    private int key;
    private int access;
    private boolean valid;

    MemoryKey(int key, Object protectionDomain) {
        this.key = key;
        this.protectionDomain = protectionDomain;
    }

    /** {@return the whole 32-bit key as it is now: mixed index in the upper 24 bits, variant in the lower 8} */
    public int key() {
        return key;
    }

    /** {@return what work requests name the entry by, whatever its variant: the key without it} */
    public int handle() {
        return key & ~VARIANT_MASK;
    }

    Object protectionDomain() {
        return protectionDomain;
    }

    /** True while requests may use it. */
    boolean isValid() {
        return valid;
    }

    /** Lets requests use it under a new variant of the key. */
    void validate(int variantOf, int rights) {
        key = handle() | variantOf & VARIANT_MASK;
        access = rights;
        valid = true;
    }

    void setInvalid() {
        valid = false;
    }

    /** True if it is valid and grants all of {@code rights}, bits of {@link io.rdma4j.verbs.AccessFlag}. */
    final boolean grants(int wholeKey, Object domain, int rights) {
        return valid && isNamed(wholeKey, domain) && (access & rights) == rights;
    }

    /** True if {@code wholeKey} is its key, and {@code domain} the protection domain it belongs to, or it belongs to all. */
    @SuppressWarnings("ReferenceEquality") // a protection domain is itself, not its value
    final boolean isNamed(int wholeKey, Object domain) {
        return key == wholeKey && (protectionDomain == domain || protectionDomain == ANY_DOMAIN);
    }

    final boolean hasAccess(int rights) {
        return (access & rights) == rights;
    }

    /** True if a peer that sends to {@code queuePair} may use it at all. */
    abstract boolean isOpenTo(Object queuePair);

    /** True if {@code length} bytes at {@code address} lie inside; cannot wrap. */
    abstract boolean contains(long address, long length);

    /** Address of the first byte, as requests give it. */
    abstract long start();

    /** Bytes. */
    abstract long length();

    /** The region that the bytes lie in; null for a window that shows nothing. */
    @Nullable
    abstract RegionKey region();

    /** Where {@code address}, as requests give it, lies in the address space of {@link #region}. */
    abstract long toRegion(long address);

    /** True if {@code length} bytes at {@code address} lie in a range of {@code size} bytes from {@code start} on. */
    static boolean isWithin(long address, long length, long start, long size) {
        long offset = address - start;
        return length >= 0 && length <= size && offset >= 0 && offset <= size - length;
    }
}
