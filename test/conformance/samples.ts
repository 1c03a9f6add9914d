/** The smallest possible picture and sound, in base64. */

/** PNG, one pixel. */
export const pixelPng =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** WAV: 8 kHz, mono, 8 bits, two samples of silence. */
export const silentWav = wav(Buffer.from([128, 128])).toString('base64')

function wav(samples: Buffer): Buffer {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20) // PCM
  header.writeUInt16LE(1, 22) // channels
  header.writeUInt32LE(8000, 24)
  header.writeUInt32LE(8000, 28) // bytes per second
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}
