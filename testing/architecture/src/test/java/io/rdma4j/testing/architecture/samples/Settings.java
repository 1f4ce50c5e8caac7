package io.rdma4j.testing.architecture.samples;

/** Has a setter that is called, and one that is not. */
public final class Settings {
    private int size;
    private String colour = "";

    /** {@return the default size, set} */
    public static Settings usual() {
        Settings settings = new Settings();
        settings.size(1);
        return settings;
    }

    /** @param other bytes */
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
