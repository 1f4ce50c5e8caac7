// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture.samples;

/** Has a setter with a caller and one without. */
public final class Settings {
    private int size;
    private String colour = "";

    /** {@return settings with the default size} */
    public static Settings usual() {
        Settings settings = new Settings();
        settings.size(1);
        return settings;
    }

    /** @param other size in bytes */
    public void size(int other) {
        size = other;
    }

    /** @param other a name */
    public void colour(String other) {
        colour = other;
    }

    @Override
    public String toString() {
        return size + colour;
    }
}
