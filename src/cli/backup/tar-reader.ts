/** Reads a ustar archive as a stream. Its content is not trusted: the caller checks each path and each kind. */
import { blockBytes, checksumOf } from './tar-writer.ts'

export interface TarEntry {
  readonly path: string
  readonly isFile: boolean
  readonly mode: number
  readonly content: AsyncIterable<Buffer>
}

export class DamagedArchive extends Error {}

/** Use the content of an entry before you ask for the next entry. Throws DamagedArchive unless the archive is complete. */
export async function* readTar(chunks: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const source = createSource(chunks)
  for (;;) {
    const header = await source.block()
    if (header.every((byte) => byte === 0)) break
    if (numberIn(header, 148, 8) !== checksumOf(header)) throw new DamagedArchive('a header has the wrong checksum')
    const [prefix, name] = [textIn(header, 345, 155), textIn(header, 0, 100)]
    const size = numberIn(header, 124, 12)
    const content = source.bytes(size)
    yield {
      path: prefix === '' ? name : `${prefix}/${name}`,
      isFile: ['0', ''].includes(textIn(header, 156, 1)),
      mode: numberIn(header, 100, 8),
      content,
    }
    for await (const _ of content);
    for await (const _ of source.bytes((blockBytes - (size % blockBytes)) % blockBytes));
  }
  // Only the end of the stream shows whether its own checksum is right.
  await source.drain()
}

function createSource(chunks: AsyncIterable<Buffer>) {
  const iterator = chunks[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)

  /** At least one byte, and at most `max`. */
  async function take(max: number): Promise<Buffer> {
    while (rest.length === 0) {
      const next = await iterator.next()
      if (next.done) throw new DamagedArchive('the end is missing')
      rest = next.value
    }
    const taken = rest.subarray(0, max)
    rest = rest.subarray(taken.length)
    return taken
  }
  async function* bytes(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0;) {
      const taken = await take(left)
      left -= taken.length
      yield taken
    }
  }
  return {
    bytes,
    block: async () => Buffer.concat(await Array.fromAsync(bytes(blockBytes))),
    async drain() {
      while (!(await iterator.next()).done);
    },
  }
}

function textIn(header: Buffer, start: number, length: number): string {
  const field = header.subarray(start, start + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? length : end)
}

function numberIn(header: Buffer, start: number, length: number): number {
  const text = textIn(header, start, length).trim()
  if (!/^[0-7]+$/.test(text)) throw new DamagedArchive('a header has a wrong number')
  return Number.parseInt(text, 8)
}
