/**
 * In code mode, Codex's model writes JavaScript that calls its tools. The question about a command does not say which
 * script it comes from, nor whether the script asked to leave the sandbox. A script is plain if it obviously cannot have
 * asked for that: it calls `exec_command` only with object literals whose keys are known, and has nothing by which
 * JavaScript could hide another call. Every script that is not obviously plain is not plain.
 */
export function isPlainScript(script: string): boolean {
  if (/sandbox_perm|escalat|additional_perm/i.test(script)) return false
  const code = withoutTexts(script)
  if (code === undefined || hiding.test(code) || computedAccess.test(code)) return false
  const uses = code.match(/\btools\b/g)?.length ?? 0
  const calls = [...code.matchAll(/(?<![.\w$])tools\.([a-z_]\w*)\(/gi)]
  if (calls.length !== uses) return false
  return calls.every(
    ({ 1: tool, index, 0: text }) => tool !== 'exec_command' || hasKnownKeys(code, index + text.length),
  )
}

/** Names by which a script could call a tool indirectly, or change what an object literal means. */
const hiding =
  /\\|\b(eval|Function|constructor|prototype|__proto__|getPrototypeOf|setPrototypeOf|__defineGetter__|__defineSetter__|Reflect|Proxy|globalThis|self|window|this|with|import|ALL_TOOLS)\b/
/** `x[…]` with anything but a number. */
const computedAccess = /(?:\b(?!(?:const|let|var|of|in|return)\b)[\w$]+|[)\]"'`])\s*\[(?!\s*\d+\s*\])/
const knownKeys = new Set(['cmd', 'workdir', 'yield_time_ms', 'max_output_tokens', 'login', 'shell', 'tty'])

/** Empties strings and removes comments. `undefined`: the text has something that needs a real parser. */
function withoutTexts(script: string): string | undefined {
  let code = ''
  /** How many braces are open in the expression of each template literal around the current position. */
  const templates: number[] = []
  for (let at = 0; at < script.length;) {
    const rest = script.slice(at)
    const comment = /^(\/\/[^\n]*|\/\*[^]*?\*\/)/.exec(rest)?.[0]
    const text = /^("(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*')/.exec(rest)?.[0]
    const char = script[at]!
    const depth = templates.at(-1)
    if (comment !== undefined) at += comment.length
    else if (text !== undefined) {
      code += '""'
      at += text.length
    } else if (char === '`' || (char === '}' && depth === 0)) {
      if (char === '}') templates.pop()
      const part = /^[`}](?:[^`\\$]|\\[^]|\$(?!\{))*(`|\$\{)/.exec(rest)
      if (!part) return undefined
      code += char === '`' ? '"' : ')'
      if (part[1] === '${') {
        code += '('
        templates.push(0)
      } else code += '"'
      at += part[0].length
    } else {
      // A regular expression looks like a division, and could hide a quote.
      if (char === '/') return undefined
      if (depth !== undefined && char === '{') templates[templates.length - 1] = depth + 1
      if (depth !== undefined && char === '}') templates[templates.length - 1] = depth - 1
      code += char
      at += 1
    }
  }
  return templates.length === 0 ? code : undefined
}

/** Whether the only argument from here on is an object literal with known keys. */
function hasKnownKeys(code: string, start: number): boolean {
  let at = start
  const take = (pattern: RegExp) => {
    const found = new RegExp(pattern.source, 'y')
    found.lastIndex = at
    const match = found.exec(code)
    if (match) at = found.lastIndex
    return match
  }
  if (!take(/\s*\{/)) return false
  for (;;) {
    if (take(/\s*,?\s*\}\s*\)/)) return true
    const key = take(/\s*,?\s*([a-z_]+)\s*(?=[:,}])/)?.[1]
    if (key === undefined || !knownKeys.has(key)) return false
    if (!take(/:/)) continue
    for (let open = 0; open > 0 || !/[,}]/.test(code[at] ?? ','); at++) {
      if (at >= code.length) return false
      if ('([{'.includes(code[at]!)) open++
      if (')]}'.includes(code[at]!)) open--
    }
  }
}
