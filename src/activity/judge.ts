/** What a screen tells, by the rules of its agent. */
import type { ActivityRule, ActivityRules, Condition, Region } from './activity-rules.ts'

/** What rules can look at. Lines are read when they are asked for, since most rules need few of them or none. */
export interface View {
  readonly title: string
  readonly shell: 'prompt' | 'running' | undefined
  readonly lineCount: number
  /** A visible line, without trailing blanks; 0 is the top. */
  line(index: number): string
}

export interface Verdict {
  readonly is: 'working' | 'waiting' | 'idle'
  readonly reason?: string | undefined
  /** In its title an agent speaks for itself. */
  readonly source: 'agent' | 'screen'
  readonly confidence: number
}

export function judge({ rules }: ActivityRules, view: View): Verdict | undefined {
  const read = createReader(view)
  const meets = ({ region, pattern }: Condition) => pattern.test(read(region))
  const rule = rules.find(({ when }) => when.every(meets))
  if (!rule) return undefined
  const { is, confidence, when } = rule
  const source = when.every(({ region }) => region.is === 'osc_title') ? 'agent' : 'screen'
  const reason = reasonOf(rule, read)
  return { is, source, confidence, ...(reason !== undefined && { reason }) }
}

type Reader = (region: Region) => string

/** Each region is put together once for all rules that ask for it. */
function createReader(view: View): Reader {
  const texts = new Map<string, string>()
  return (region) => {
    const key = region.is === 'bottom_non_empty_lines' ? `${region.is} ${region.count}` : region.is
    const text = texts.get(key) ?? readRegion(region, view)
    texts.set(key, text)
    return text
  }
}

function readRegion(region: Region, view: View): string {
  switch (region.is) {
    case 'osc_title':
      return view.title
    case 'shell':
      return view.shell ?? ''
    case 'whole_screen':
      return Array.from({ length: view.lineCount }, (_, index) => view.line(index)).join('\n')
    case 'bottom_non_empty_lines': {
      const lines: string[] = []
      for (let index = view.lineCount - 1; index >= 0 && lines.length < region.count; index--) {
        const line = view.line(index)
        if (line !== '') lines.unshift(line)
      }
      return lines.join('\n')
    }
  }
}

const maxReasonLength = 200

function reasonOf({ reasons }: ActivityRule, read: Reader): string | undefined {
  for (const { region, pattern, says } of reasons) {
    const caught = pattern.capture(read(region))
    if (caught) return says.replaceAll(/\{(\w+)\}/g, (_, name: string) => caught[name] ?? '').slice(0, maxReasonLength)
  }
  return undefined
}
