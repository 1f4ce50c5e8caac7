package io.rdma4j.verbs.spi;

/** A memory window. Any thread may call. */
public interface MwOps extends AutoCloseable {
    /** {@return what bind work requests name it by: 32 bits, the same for all its life} */
    int handle();

    /** {@return the key it has at allocation: 32 bits; later ones differ in the low 8 bits only} */
    int rkey();

    /** {@code ibv_dealloc_mw}: a window that is bound is unbound first. */
    @Override
    void close();
}
