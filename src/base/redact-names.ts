/**
 * The one list of names whose values are secret. A name matches if its last word, split at case, "-" and "_", is in the
 * list. All redaction uses this list.
 */
const secretWords: ReadonlySet<string> = new Set([
  'key',
  'token',
  'secret',
  'password',
  'passwd',
  'authorization',
  'cookie',
  'credential',
  // Compounds that are often written without a case change or dash to split at.
  'apikey',
  'accesskey',
  'authkey',
  'privatekey',
  'secretkey',
  'clientsecret',
  'accesstoken',
  'authtoken',
  'bearertoken',
  'idtoken',
  'refreshtoken',
  'sessiontoken',
])

/** Ends in a listed word, but MCP uses it as the plain id of a request. */
const progressToken = /^progress[-_]?token$/i

/** `one` hides every value; `several` (a plural) may also name a count, such as `max_tokens`. */
export type SecretName = 'one' | 'several'

export function secretName(name: string): SecretName | undefined {
  for (const word of lastWords(name)) {
    if (secretWords.has(word)) return progressToken.test(name) ? undefined : 'one'
    if (word.endsWith('s') && secretWords.has(word.slice(0, -1))) return 'several'
  }
  return undefined
}

/** An empty value, a boolean, and a count under a plural need not be hidden. */
export function isHidden(name: SecretName, value: unknown): boolean {
  if (value === undefined || value === null || value === '' || typeof value === 'boolean') return false
  return !(name === 'several' && (typeof value === 'number' || typeof value === 'bigint'))
}

/**
 * The last word in lower case: `apiKey`, `API_KEY`, `x-api-key` and `key2` all end in "key". Two readings where case is
 * ambiguous: `APIkey` ends in "ikey" or in "key".
 */
function lastWords(name: string): string[] {
  let end = name.length
  while (end > 0 && letterCase(name, end - 1) === undefined) end--
  if (end === 0) return []
  const last = letterCase(name, end - 1)
  let start = end - 1
  while (start > 0 && letterCase(name, start - 1) === last) start--
  const word = name.slice(start, end).toLowerCase()
  if (last === 'upper' || letterCase(name, start - 1) !== 'upper') return [word]
  const capitalised = name.slice(start - 1, end).toLowerCase()
  return letterCase(name, start - 2) === 'upper' ? [capitalised, word] : [capitalised]
}

function letterCase(text: string, index: number): 'upper' | 'lower' | undefined {
  const code = text.charCodeAt(index)
  if (code >= 97 && code <= 122) return 'lower'
  return code >= 65 && code <= 90 ? 'upper' : undefined
}

/** Replaces a secret. */
export const redactedText = '[redacted]'
