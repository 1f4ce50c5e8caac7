/* CRC-32 of Ethernet and of the ICRC: as fast as the machine can, because Java's is, too. Raw state in and out, no inversion.
 *
 * Folding: what lies d bytes before the end counts as much as its product with x^(8d) modulo the polynomial, so that wide
 * registers run over the bytes by carry-less multiplication and tables do the last few. Bits are reflected: the product of two
 * reflected numbers is one bit too low, hence the shift in fold_constant. */
#ifndef CRC_H
#define CRC_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define POLYNOMIAL 0xEDB88320u

static uint32_t crc_table[8][256];

static inline uint32_t crc_by_table(uint32_t crc, const uint8_t *p, size_t n) {
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        word ^= crc;
        crc = 0;
        for (int i = 0; i < 8; i++) crc ^= crc_table[7 - i][word >> 8 * i & 255];
    }
    while (n--) crc = crc >> 8 ^ crc_table[0][(crc ^ *p++) & 255];
    return crc;
}

#if defined(__PCLMUL__) && defined(__SSE4_1__)
#include <immintrin.h>

static __m128i fold_16, fold_64, fold_256;

static uint64_t fold_constant(unsigned bits) {
    uint32_t power = 0x80000000u;
    while (bits--) power = power >> 1 ^ (power & 1 ? POLYNOMIAL : 0);
    return (uint64_t)power << 1;
}

static __m128i fold_constants(unsigned bytes) {
    return _mm_set_epi64x((long long)fold_constant(8 * bytes - 32), (long long)fold_constant(8 * bytes + 32));
}

static void crc_fold_init(void) {
    fold_16 = fold_constants(16);
    fold_64 = fold_constants(64);
    fold_256 = fold_constants(256);
}

static inline __m128i fold(__m128i x, __m128i by, __m128i next) {
    return _mm_xor_si128(next, _mm_xor_si128(_mm_clmulepi64_si128(x, by, 0x00), _mm_clmulepi64_si128(x, by, 0x11)));
}

static inline __m128i load(const uint8_t *p) { return _mm_loadu_si128((const __m128i *)p); }

static inline uint32_t fold_rest(__m128i x, const uint8_t *p, size_t n) {
    for (; n >= 16; p += 16, n -= 16) x = fold(x, fold_16, load(p));
    uint8_t last[16];
    _mm_storeu_si128((__m128i *)last, x);
    return crc_by_table(crc_by_table(0, last, 16), p, n);
}

static inline uint32_t crc_narrow(uint32_t crc, const uint8_t *p, size_t n) {
    __m128i x[4];
    for (int i = 0; i < 4; i++) x[i] = load(p + 16 * i);
    x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128((int)crc));
    for (p += 64, n -= 64; n >= 64; p += 64, n -= 64)
        for (int i = 0; i < 4; i++) x[i] = fold(x[i], fold_64, load(p + 16 * i));
    for (int i = 1; i < 4; i++) x[0] = fold(x[0], fold_16, x[i]);
    return fold_rest(x[0], p, n);
}

#if defined(__VPCLMULQDQ__) && defined(__AVX512F__)
static inline __m512i fold_wide(__m512i x, __m512i by, __m512i next) {
    return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(x, by, 0x00), _mm512_clmulepi64_epi128(x, by, 0x11), next, 0x96);
}

static inline uint32_t crc_wide(uint32_t crc, const uint8_t *p, size_t n) {
    __m512i by = _mm512_broadcast_i32x4(fold_256), x[4];
    for (int i = 0; i < 4; i++) x[i] = _mm512_loadu_si512(p + 64 * i);
    x[0] = _mm512_xor_si512(x[0], _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)crc)));
    for (p += 256, n -= 256; n >= 256; p += 256, n -= 256)
        for (int i = 0; i < 4; i++) x[i] = fold_wide(x[i], by, _mm512_loadu_si512(p + 64 * i));
    by = _mm512_broadcast_i32x4(fold_64);
    for (int i = 1; i < 4; i++) x[0] = fold_wide(x[0], by, x[i]);
    for (; n >= 64; p += 64, n -= 64) x[0] = fold_wide(x[0], by, _mm512_loadu_si512(p));
    __m128i part[4];
    _mm512_storeu_si512(part, x[0]);
    for (int i = 1; i < 4; i++) part[0] = fold(part[0], fold_16, part[i]);
    return fold_rest(part[0], p, n);
}
#endif
#endif

static void crc_init(void) {
    for (unsigned i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
        crc_table[0][i] = crc;
    }
    for (int t = 1; t < 8; t++)
        for (unsigned i = 0; i < 256; i++) crc_table[t][i] = crc_table[t - 1][i] >> 8 ^ crc_table[0][crc_table[t - 1][i] & 255];
#if defined(__PCLMUL__) && defined(__SSE4_1__)
    crc_fold_init();
#endif
}

static inline uint32_t crc_update(uint32_t crc, const uint8_t *p, size_t n) {
#if defined(__VPCLMULQDQ__) && defined(__AVX512F__)
    if (n >= 256) return crc_wide(crc, p, n);
#endif
#if defined(__PCLMUL__) && defined(__SSE4_1__)
    if (n >= 64) return crc_narrow(crc, p, n);
#endif
    return crc_by_table(crc, p, n);
}
#endif
