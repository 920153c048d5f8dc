/** CRC-32C (Castagnoli), the checksum of journal records. Node's zlib.crc32 uses another polynomial. */

const polynomial = 0x82f63b78;

const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
  return crc;
});

/** Returns an unsigned 32-bit integer. `seed` is the checksum of the preceding bytes. */
export function crc32c(bytes: Uint8Array, seed = 0): number {
  let crc = ~seed;
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ (table[(crc ^ (bytes[i] ?? 0)) & 255] ?? 0);
  return ~crc >>> 0;
}
