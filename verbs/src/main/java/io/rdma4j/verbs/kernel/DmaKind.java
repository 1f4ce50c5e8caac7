// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.kernel;

/** The call that mapped the memory, as messages name it. The memory is unmapped by the corresponding call. */
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
