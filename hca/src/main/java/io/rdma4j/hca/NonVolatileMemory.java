// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Stores the settings of a port that survive a restart in a properties file: M_Key ({@code m_key}) with its protection
 * and lease ({@code m_key_protect_bits}, {@code m_key_lease_period}), and P_Key table ({@code p_keys}). Each write
 * replaces the whole file. One thread at a time.
 */
public final class NonVolatileMemory {
    private static final String M_KEY = "m_key";
    private static final String PROTECT_BITS = "m_key_protect_bits";
    private static final String LEASE_SECONDS = "m_key_lease_period";
    private static final String P_KEYS = "p_keys";
    private static final int HEX = 16;

    private final Path file;
    private final Properties values = new Properties();

    /**
     * Reads the file if it exists.
     *
     * @param directory created if it does not exist
     * @param device name of the device
     * @throws RdmaException EIO if the file cannot be read or has invalid content
     */
    public NonVolatileMemory(Path directory, String device) {
        this.file = directory.resolve(device + "-port" + HcaLimits.PORT + ".properties");
        try {
            Files.createDirectories(directory);
            if (Files.exists(file)) {
                try (Reader reader = Files.newBufferedReader(file)) {
                    values.load(reader);
                }
            }
            managementKey();
            protectBits();
            leaseSeconds();
            pkeys();
        } catch (IOException | IllegalArgumentException e) {
            throw new RdmaException(Errno.EIO, file + " cannot be read as the memory of a port: " + e.getMessage(), e);
        }
    }

    /** Returns the stored M_Key; empty if none is stored. */
    public OptionalLong managementKey() {
        String text = values.getProperty(M_KEY);
        return text == null ? OptionalLong.empty() : OptionalLong.of(Long.parseUnsignedLong(text, HEX));
    }

    /** Returns the stored {@code M_KeyProtectBits}; 0 if none are stored. */
    public int protectBits() {
        return Integer.parseInt(values.getProperty(PROTECT_BITS, "0"));
    }

    /** Returns the stored {@code M_KeyLeasePeriod} in seconds; 0 if none is stored. */
    public int leaseSeconds() {
        return Integer.parseInt(values.getProperty(LEASE_SECONDS, "0"));
    }

    /** Returns the stored P_Key table; empty if none is stored. */
    public int[] pkeys() {
        String text = values.getProperty(P_KEYS, "");
        return text.isEmpty()
                ? new int[0]
                : Arrays.stream(text.split(","))
                        .mapToInt(key -> Integer.parseInt(key, HEX))
                        .toArray();
    }

    /** @throws RdmaException EIO if the file cannot be written; the stored value is unchanged then */
    void writeManagementKey(long key) {
        write(Map.of(M_KEY, Long.toHexString(key)));
    }

    /** @throws RdmaException EIO if the file cannot be written; the stored values are unchanged then */
    public void writeManagementKey(long key, int protectBits, int leaseSeconds) {
        write(Map.of(
                M_KEY,
                Long.toHexString(key),
                PROTECT_BITS,
                String.valueOf(protectBits),
                LEASE_SECONDS,
                String.valueOf(leaseSeconds)));
    }

    /** @throws RdmaException EIO if the file cannot be written; the stored value is unchanged then */
    public void writePkeys(int[] keys) {
        write(Map.of(P_KEYS, IntStream.of(keys).mapToObj(Integer::toHexString).collect(Collectors.joining(","))));
    }

    private void write(Map<String, String> changes) {
        Properties next = new Properties();
        next.putAll(values);
        next.putAll(changes);
        try {
            Path written = Files.createTempFile(file.toAbsolutePath().getParent(), "port", ".next");
            try (Writer writer = Files.newBufferedWriter(written)) {
                next.store(writer, "What a port of rdma4j remembers");
            }
            Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException | UncheckedIOException e) {
            throw new RdmaException(Errno.EIO, file + " cannot be written: " + e.getMessage(), e);
        }
        values.putAll(changes);
    }
}
