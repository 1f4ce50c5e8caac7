package io.rdma4j.verbs;

/** By which call memory was mapped, as messages name it: it is unmapped by the one that belongs to it. */
enum DmaKind {
    SINGLE("single"),
    SCATTER("part of a scatter list"),
    COHERENT("coherent memory");

    private final String text;

    DmaKind(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
