/** Reads objects of git as they are stored, without the filters and converters that a repository configures. */
import type { Git } from '../base/careful-git.ts'

/** The contents by their ids. An object that is missing is left out. */
export async function readBlobs(git: Git, folder: string, ids: readonly string[]): Promise<Map<string, Buffer>> {
  const blobs = new Map<string, Buffer>()
  if (ids.length === 0) return blobs
  const child = git.start(folder, 'cat-file', '--batch')
  const failed = Promise.withResolvers<never>()
  child.on('error', failed.reject)
  child.stdin.on('error', () => {}) // The output then ends early, and the rest is left out.
  child.stderr.resume()
  child.stdin.end(`${ids.join('\n')}\n`)
  const output = Buffer.concat(await Promise.race([collect(child.stdout), failed.promise]))
  let at = 0
  while (at < output.length) {
    const end = output.indexOf('\n', at)
    const header = output.subarray(at, end < 0 ? output.length : end).toString()
    at = end < 0 ? output.length : end + 1
    const [, id, size] = /^([0-9a-f]+) blob (\d+)$/.exec(header) ?? []
    if (id === undefined) continue
    blobs.set(id, output.subarray(at, at + Number(size)))
    at += Number(size) + 1
  }
  return blobs
}

async function collect(stream: AsyncIterable<Buffer>): Promise<readonly Buffer[]> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}
