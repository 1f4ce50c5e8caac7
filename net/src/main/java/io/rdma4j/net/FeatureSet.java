package io.rdma4j.net;

import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.NoSuchElementException;

/** A set of features, immutable ({@code netdev_features_t}): one word, so that the data path may ask it. */
public final class FeatureSet extends AbstractSet<NetDeviceFeature> {
    /** None. */
    public static final FeatureSet NONE = new FeatureSet(0);

    /** Segmentation of TCP ({@code NETIF_F_ALL_TSO}). */
    public static final FeatureSet ALL_TSO = of(NetDeviceFeature.TSO, NetDeviceFeature.TSO6);

    /** Trains of every protocol that cuts them ({@code NETIF_F_GSO_SOFTWARE}). */
    public static final FeatureSet GSO_SOFTWARE = ALL_TSO.plus(of(NetDeviceFeature.GSO_UDP_L4));

    /** What the core does for every device ({@code NETIF_F_SOFT_FEATURES}). */
    public static final FeatureSet SOFT_FEATURES = of(NetDeviceFeature.GSO, NetDeviceFeature.GRO);

    /** What nobody switches ({@code NETIF_F_NEVER_CHANGE}, and {@code NETIF_F_HIGHDMA}). */
    public static final FeatureSet NEVER_CHANGE = of(
            NetDeviceFeature.VLAN_CHALLENGED,
            NetDeviceFeature.LLTX,
            NetDeviceFeature.NETNS_LOCAL,
            NetDeviceFeature.HIGHDMA);

    private static final NetDeviceFeature[] ALL = NetDeviceFeature.values();

    private final long bits;

    private FeatureSet(long bits) {
        this.bits = bits;
    }

    /**
     * {@return the set of these}
     *
     * @param features any number of them
     */
    public static FeatureSet of(NetDeviceFeature... features) {
        return copyOf(Arrays.asList(features));
    }

    /**
     * {@return the set of these}
     *
     * @param features any number of them
     */
    public static FeatureSet copyOf(Collection<NetDeviceFeature> features) {
        long bits = 0;
        for (NetDeviceFeature feature : features) {
            bits |= bit(feature);
        }
        return new FeatureSet(bits);
    }

    private static long bit(NetDeviceFeature feature) {
        return 1L << feature.ordinal();
    }

    /**
     * {@return true if it contains {@code feature}} Allocates nothing.
     *
     * @param feature one of the constants
     */
    public boolean has(NetDeviceFeature feature) {
        return (bits & bit(feature)) != 0;
    }

    /**
     * {@return true if it contains one of {@code others} at least}
     *
     * @param others any
     */
    public boolean hasAny(FeatureSet others) {
        return (bits & others.bits) != 0;
    }

    /**
     * {@return true if it contains all of {@code others}} Allocates nothing.
     *
     * @param others any
     */
    public boolean hasAll(FeatureSet others) {
        return (bits & others.bits) == others.bits;
    }

    /**
     * {@return what is in either}
     *
     * @param other any
     */
    public FeatureSet plus(FeatureSet other) {
        return new FeatureSet(bits | other.bits);
    }

    /**
     * {@return what is in this one only}
     *
     * @param other any
     */
    public FeatureSet minus(FeatureSet other) {
        return new FeatureSet(bits & ~other.bits);
    }

    /**
     * {@return what is in both}
     *
     * @param other any
     */
    public FeatureSet and(FeatureSet other) {
        return new FeatureSet(bits & other.bits);
    }

    @Override
    public boolean contains(Object object) {
        return object instanceof NetDeviceFeature feature && has(feature);
    }

    @Override
    public int size() {
        return Long.bitCount(bits);
    }

    /** In the order of {@link NetDeviceFeature}. */
    @Override
    public Iterator<NetDeviceFeature> iterator() {
        return new Iterator<>() {
            private long left = bits;

            @Override
            public boolean hasNext() {
                return left != 0;
            }

            @Override
            public NetDeviceFeature next() {
                if (left == 0) {
                    throw new NoSuchElementException();
                }
                NetDeviceFeature feature = ALL[Long.numberOfTrailingZeros(left)];
                left &= left - 1;
                return feature;
            }
        };
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FeatureSet set ? bits == set.bits : super.equals(other);
    }

    /** As of every set: the sum over its features. */
    @Override
    public int hashCode() {
        return super.hashCode();
    }
}
