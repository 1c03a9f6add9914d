/** Writes regular files in the ustar format of POSIX.1-1988, which every tar program reads. */
import { CliError } from '../command/cli-error.ts'

export interface TarFile {
  /** Relative, with `/` between its parts. */
  readonly path: string
  readonly mode: number
  readonly modifiedAt: Date
  readonly size: number
  /** Exactly `size` bytes. */
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

export const blockBytes = 512

export async function* writeTar(files: AsyncIterable<TarFile> | Iterable<TarFile>): AsyncGenerator<Uint8Array> {
  for await (const file of files) {
    yield headerOf(file)
    yield* file.content
    const rest = file.size % blockBytes
    if (rest > 0) yield Buffer.alloc(blockBytes - rest)
  }
  yield Buffer.alloc(2 * blockBytes)
}

function headerOf({ path, mode, modifiedAt, size }: TarFile): Buffer {
  const { prefix, name } = splitPath(path)
  const header = Buffer.alloc(blockBytes)
  const octal = (value: number, start: number, digits: number) =>
    header.write(value.toString(8).padStart(digits, '0'), start, 'latin1')
  header.write(name, 0)
  octal(mode & 0o777, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  if (size >= 8 ** 11) throw new CliError('failed', `${path} is larger than the 8 GiB that a tar file can hold.`)
  octal(size, 124, 11)
  octal(Math.floor(modifiedAt.getTime() / 1000), 136, 11)
  header.write('0', 156)
  header.write('ustar\u000000', 257, 'latin1')
  header.write(prefix, 345)
  octal(checksumOf(header), 148, 6)
  header.write('\u0000 ', 154, 'latin1')
  return header
}

/** The sum of all bytes, with blanks in the place of the sum itself. */
export function checksumOf(header: Buffer): number {
  return header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0)
}

/** The name may have 100 bytes, and the folders before it 155 more. */
function splitPath(path: string): { prefix: string; name: string } {
  if (Buffer.byteLength(path) <= 100) return { prefix: '', name: path }
  const parts = path.split('/')
  for (let count = 1; count < parts.length; count++) {
    const [prefix, name] = [parts.slice(0, count).join('/'), parts.slice(count).join('/')]
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100) return { prefix, name }
  }
  throw new CliError('failed', `The path ${path} is too long for a tar file. Give the file a shorter name.`)
}
