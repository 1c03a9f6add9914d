/** A small sentence-embedding model, run by ONNX Runtime on the processor. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { modelDirectory, weightsPath } from './model-files.ts'
import { createWordPieces, type Pieces } from './word-pieces.ts'

/** Texts of like length are computed together, since short ones are padded. */
const textsPerRun = 16

export interface EmbeddingModel {
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>
}

export async function loadModel(): Promise<EmbeddingModel> {
  const onnx = createRequire(join(modelDirectory, 'package.json'))('onnxruntime-node') as OnnxRuntime
  const session = await onnx.InferenceSession.create(weightsPath)
  const piecesOf = createWordPieces()

  const run = async (batch: readonly Pieces[]): Promise<readonly Float32Array[]> => {
    const width = Math.max(...batch.map(({ length }) => length))
    const shape = [batch.length, width]
    const ids = new BigInt64Array(batch.length * width)
    const mask = new BigInt64Array(batch.length * width)
    for (const [row, pieces] of batch.entries()) {
      for (const [column, id] of pieces.entries()) {
        ids[row * width + column] = BigInt(id)
        mask[row * width + column] = 1n
      }
    }
    const { last_hidden_state: hidden } = await session.run({
      input_ids: new onnx.Tensor('int64', ids, shape),
      attention_mask: new onnx.Tensor('int64', mask, shape),
      token_type_ids: new onnx.Tensor('int64', new BigInt64Array(ids.length), shape),
    })
    const size = hidden.dims[2]!
    return batch.map(({ length }, row) =>
      unitMean(hidden.data.subarray(row * width * size, (row * width + length) * size), size),
    )
  }

  return {
    embed: async (texts) => {
      const byLength = texts
        .map((text, index) => ({ index, pieces: piecesOf(text) }))
        .toSorted((a, b) => a.pieces.length - b.pieces.length)
      const vectors: Float32Array[] = []
      for (let from = 0; from < byLength.length; from += textsPerRun) {
        const batch = byLength.slice(from, from + textsPerRun)
        const results = await run(batch.map(({ pieces }) => pieces))
        for (const [position, { index }] of batch.entries()) vectors[index] = results[position]!
      }
      return vectors
    },
  }
}

/** The mean of the vectors of all pieces, of length one. */
function unitMean(values: Float32Array, size: number): Float32Array {
  const mean = new Float32Array(size)
  for (const [index, value] of values.entries()) mean[index % size]! += value
  const length = Math.hypot(...mean)
  return mean.map((value) => value / length)
}

/** The part of ONNX Runtime that is used. */
interface OnnxRuntime {
  readonly InferenceSession: { create(path: string): Promise<Session> }
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => object
}

interface Session {
  run(inputs: Readonly<Record<string, object>>): Promise<{
    readonly last_hidden_state: { readonly data: Float32Array; readonly dims: readonly number[] }
  }>
}
