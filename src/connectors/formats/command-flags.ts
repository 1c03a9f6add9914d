/** The flags of `mcp add` in Claude, Codex, Gemini and older programs. */

interface Added {
  readonly name: string | undefined
  readonly entry: Readonly<Record<string, unknown>>
  /** The reason why the server is left out. */
  readonly problem?: string
}

/** Flags that take a value, with the key they set in an entry. `undefined`: the flag does not describe the server. */
const valueFlags: Readonly<Record<string, string | undefined>> = {
  '--transport': 'transport',
  '-t': 'transport',
  '--type': 'transport',
  '--url': 'url',
  '--command': 'command',
  '--arg': 'args',
  '--args': 'args',
  '--env': 'env',
  '-e': 'env',
  '--env-key': 'env_keys',
  '--header': 'headers',
  '-H': 'headers',
  '--headers': 'headers',
  '--scope': undefined,
  '-s': undefined,
  '--cwd': 'cwd',
  '--timeout': 'timeout',
  '--bearer-token-env-var': 'bearer_token_env_var',
  '--auth-token': 'auth_token',
  '--description': 'description',
  '--display-name': 'display_name',
  '--alias': 'alias',
  '--tag': 'tags',
  '--include-tools': 'includeTools',
  '--exclude-tools': 'excludeTools',
  '--client-id': 'client_id',
  '--callback-port': 'callback_port',
}
const switches: Readonly<Record<string, readonly [string, unknown]>> = {
  '--trust': ['trust', true],
  '--enabled': ['enabled', true],
  '--disabled': ['enabled', false],
}
/** Gemini takes several names in one value. */
const toolLists = new Set(['includeTools', 'excludeTools'])
const lists = new Set(['args', 'env_keys', 'tags', ...toolLists])

export function readFlags(words: readonly string[]): Added {
  const entry: Record<string, unknown> = {}
  const maps: Record<'env' | 'headers', Record<string, string>> = { env: {}, headers: {} }
  const positional: string[] = []
  let problem: string | undefined

  function add(key: string, values: readonly string[]): void {
    entry[key] = [...((entry[key] as string[] | undefined) ?? []), ...values]
  }

  function set(key: string | undefined, value: string): void {
    if (key === 'env' || key === 'headers') problem ??= addPair(maps[key], key, value)
    else if (key === 'timeout') entry[key] = Number(value)
    else if (key !== undefined && lists.has(key)) add(key, toolLists.has(key) ? value.split(',') : [value])
    else if (key !== undefined) entry[key] = value
  }

  for (let index = 0; index < words.length; index++) {
    const word = words[index]!
    const program = positional[1]
    if (word === '--') {
      positional.push(...words.slice(index + 1))
      break
    }
    // The words after the program are its arguments.
    if (program !== undefined && !isAddress(program)) positional.push(word)
    else if (!/^--?[A-Za-z]/.test(word)) {
      // Claude accepts several pairs after one --env.
      if (positional.length < 2 && /^[A-Za-z_]\w*=/.test(word)) set('env', word)
      else positional.push(word)
    } else {
      const [flag = '', inline] = /^--[^=]+=/.test(word)
        ? [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]
        : [word]
      const given = switches[flag]
      if (given) entry[given[0]] = given[1]
      else if (flag in valueFlags) set(valueFlags[flag], inline ?? words[++index] ?? '')
      else problem ??= `the flag ${flag} is not known here, so it was left out.`
    }
  }
  const [name, target, ...args] = positional
  if (target !== undefined) {
    if (isAddress(target)) entry['url'] ??= target
    else Object.assign(entry, { command: target, args })
  }
  for (const key of ['env', 'headers'] as const) if (Object.keys(maps[key]).length > 0) entry[key] = maps[key]
  return { name, entry, ...(problem !== undefined && { problem }) }
}

function isAddress(word: string): boolean {
  return /^(?:https?:\/\/|\$\{[A-Za-z_]\w*\}$)/.test(word)
}

/** Parses `K=V`, and for headers also `K: V`. The error does not repeat the value, which may be a secret. */
function addPair(map: Record<string, string>, kind: 'env' | 'headers', text: string): string | undefined {
  const pair = (kind === 'env' ? /^([A-Za-z_]\w*)=([\s\S]*)$/ : /^([^\s:=]+)\s*[:=]\s*([\s\S]*)$/).exec(text)
  if (!pair)
    return kind === 'env'
      ? '--env takes NAME=VALUE, so it was left out.'
      : '--header takes "Name: value", so it was left out.'
  map[pair[1]!] = pair[2]!
  return undefined
}
