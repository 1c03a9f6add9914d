import { isRecord } from '../../base/is-record.ts'
import { messageOf } from '../../base/hub-error.ts'

export type JsonInput =
  | { readonly is: 'object'; readonly value: Record<string, unknown> }
  | { readonly is: 'invalid'; readonly fault: string }

/** Reads a JSON object. The fault ends a sentence: "x.json is not a template: it is not JSON (line 2 column 1)." */
export function readJsonObject(text: string): JsonInput {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? { is: 'object', value: { ...value } } : { is: 'invalid', fault: 'it is not a JSON object' }
  } catch (error) {
    // The rest of V8's message quotes the text, which may contain a secret.
    const [place] = /\(line \d+ column \d+\)$/.exec(messageOf(error)) ?? []
    return { is: 'invalid', fault: place === undefined ? 'it is not JSON' : `it is not JSON ${place}` }
  }
}
