package io.rdma4j.packet;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PacketFieldsTest {
    private static final Object SOMEBODY = new Object();
    private static final PacketDevice DEVICE = new PacketDevice() {
        @Override
        public String name() {
            return "eth7";
        }

        @Override
        public int ifindex() {
            return 7;
        }
    };

    private final SkBuffPool pool = new SkBuffPool(2, 128);

    @AfterEach
    void nothingIsLeaked() {
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    private SkBuff allocate() {
        return Objects.requireNonNull(pool.allocate());
    }

    /** A field with a value other than its default. */
    record Field(
            String name,
            Function<SkBuff, @Nullable Object> reader,
            Object value,
            BiConsumer<SkBuff, Object> writer,
            boolean copied) {
        static <T> Field copied(
                String name, Function<SkBuff, @Nullable T> reader, BiConsumer<SkBuff, T> writer, T value) {
            return of(name, reader, writer, value, true);
        }

        @SuppressWarnings("unchecked") // the value has the type of the setter's parameter
        static <T> Field of(
                String name,
                Function<SkBuff, @Nullable T> reader,
                BiConsumer<SkBuff, T> writer,
                T value,
                boolean copied) {
            return new Field(name, reader::apply, value, (skb, written) -> writer.accept(skb, (T) written), copied);
        }

        void write(SkBuff skb) {
            writer.accept(skb, value);
        }

        @Nullable
        Object read(SkBuff skb) {
            return reader.apply(skb);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Field> fields() {
        return Stream.of(
                Field.copied("tstamp", SkBuff::tstamp, SkBuff::tstamp, 99L),
                Field.of("owner", SkBuff::owner, SkBuff::owner, SOMEBODY, false),
                Field.copied("device", SkBuff::device, SkBuff::device, DEVICE),
                Field.copied("iif", SkBuff::iif, SkBuff::iif, 7),
                Field.copied("securityPath", SkBuff::securityPath, SkBuff::securityPath, SOMEBODY),
                Field.copied("protocol", SkBuff::protocol, SkBuff::protocol, 0x86DD),
                Field.copied("packetType", SkBuff::packetType, SkBuff::packetType, PacketType.MULTICAST),
                Field.copied("macLen", SkBuff::macLen, SkBuff::macLen, 14),
                Field.copied("ipSummed", SkBuff::ipSummed, SkBuff::ipSummed, ChecksumState.PARTIAL),
                Field.copied("csum", SkBuff::csum, SkBuff::csum, 0xFFFF_1234),
                Field.copied("localDf", SkBuff::localDf, SkBuff::localDf, true),
                Field.copied("encapsulation", SkBuff::encapsulation, SkBuff::encapsulation, true),
                Field.copied("noFcs", SkBuff::noFcs, SkBuff::noFcs, true),
                Field.copied("vlanTci", SkBuff::vlanTci, (skb, tci) -> skb.vlanTag(0x88A8, tci), 0x2001),
                Field.copied("vlanProto", SkBuff::vlanProto, (skb, proto) -> skb.vlanTag(proto, 0), 0x8100),
                Field.copied("vlanTagPresent", SkBuff::vlanTagPresent, (skb, on) -> skb.vlanTag(0, 0), true),
                Field.copied("priority", SkBuff::priority, SkBuff::priority, 6),
                Field.copied("queueMapping", SkBuff::queueMapping, SkBuff::queueMapping, 3),
                Field.copied("hash", SkBuff::hash, SkBuff::hash, 0x1234),
                Field.copied("l4Hash", SkBuff::l4Hash, (skb, on) -> skb.hash(5, on), true),
                Field.copied("oooOkay", SkBuff::oooOkay, SkBuff::oooOkay, true),
                Field.copied("flow", SkBuff::flow, (skb, flow) -> skb.flow(flow, FlowState.NEW), SOMEBODY),
                Field.copied("flowState", SkBuff::flowState, (skb, state) -> skb.flow(null, state), FlowState.RELATED),
                Field.copied("ipvsProperty", SkBuff::ipvsProperty, SkBuff::ipvsProperty, true),
                Field.of("peeked", SkBuff::peeked, SkBuff::peeked, true, false),
                Field.copied("trace", SkBuff::trace, SkBuff::trace, true),
                Field.copied("secmark", SkBuff::secmark, SkBuff::secmark, 0x5EC),
                Field.copied("mark", SkBuff::mark, SkBuff::mark, 0x1234));
    }

    @ParameterizedTest
    @MethodSource("fields")
    @Covers({"SKB-8", "SKB-10", "SKB-22", "SKB-23", "SKB-27", "SKB-28", "SKB-36", "SKB-53", "SKB-62", "SKB-63", "SKB-64"
    })
    void aFieldStartsClearGoesAlongAsItShouldAndIsClearForTheNextUser(Field field) {
        SkBuff skb = allocate();
        @Nullable Object clear = field.read(skb);
        assertThat(clear).isNotEqualTo(field.value());
        field.write(skb);
        assertThat(field.read(skb)).isEqualTo(field.value());

        SkBuff clone = Objects.requireNonNull(skb.cloneDescriptor());
        SkBuff copy = Objects.requireNonNull(skb.copy());
        Object expected = field.copied() ? field.value() : clear;
        assertThat(field.read(clone)).as("in the clone").isEqualTo(expected);
        assertThat(field.read(copy)).as("in the copy").isEqualTo(expected);
        skb.free();
        clone.free();
        copy.free();

        SkBuff first = allocate();
        SkBuff second = allocate();
        assertThat(field.read(first)).isEqualTo(clear);
        assertThat(field.read(second)).isEqualTo(clear);
        first.free();
        second.free();
    }

    @Test
    @Covers({"SKB-60", "SKB-61"})
    void aTagOfVlanZeroIsATagToo() {
        SkBuff skb = allocate();
        assertThat(skb.vlanTagPresent()).isFalse();
        skb.vlanTag(0x8100, 0);
        assertThat(skb.vlanTagPresent()).isTrue();
        skb.clearVlanTag();
        assertThat(skb.vlanTagPresent()).isFalse();
        assertThat(skb.vlanProto()).isZero();
        skb.free();
    }

    @Test
    @Covers({"SKB-70", "SKB-71", "SKB-72"})
    void aLabelIsCopiedAndTakenAway() {
        SkBuff labelled = allocate();
        SkBuff other = allocate();
        labelled.secmark(0x5EC);
        other.copySecmark(labelled);
        assertThat(other.secmark()).isEqualTo(0x5EC);
        labelled.initSecmark();
        assertThat(labelled.secmark()).isZero();
        assertThat(other.secmark()).isEqualTo(0x5EC);
        labelled.free();
        other.free();
    }

    @Test
    @Covers("SKB-73")
    void markDropCountAndReservedTailroomAreOneWord() {
        SkBuff skb = allocate();
        skb.mark(0x1234);
        assertThat(skb.dropcount()).isEqualTo(0x1234);
        skb.dropcount(5);
        assertThat(skb.reservedTailroom()).isEqualTo(5);
        skb.reservedTailroom(9);
        assertThat(skb.mark()).isEqualTo(9);
        skb.free();
    }

    @Test
    @Covers({"SKB-8", "SKB-9"})
    void anOrphanHasNoOwner() {
        SkBuff skb = allocate();
        skb.owner(SOMEBODY);
        skb.orphan();
        assertThat(skb.owner()).isNull();
        skb.free();
    }

    @Test
    @Covers({"SKB-52"})
    void aTraceEndsAndAFlowIsLeft() {
        SkBuff skb = allocate();
        skb.trace(true);
        skb.flow(SOMEBODY, FlowState.ESTABLISHED);
        skb.resetTrace();
        assertThat(skb.trace()).isFalse();
        assertThat(skb.flow()).isSameAs(SOMEBODY);
        skb.resetFlow();
        assertThat(skb.flow()).isNull();
        assertThat(skb.flowState()).isEqualTo(FlowState.UNTRACKED);
        skb.free();
    }
}
