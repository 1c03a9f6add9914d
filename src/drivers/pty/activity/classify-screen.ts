/**
 * Reads the activity from a screen by the rules of its agent. If no rule matches, a menu means waiting for a person.
 */
import type { Menu } from '../../../terminal/terminal.ts'
import { findMenu } from '../../../terminal/terminal.ts'
import type { ActivityRule, ActivityRules, Condition, Region } from './activity-rules.ts'

/** The input of the rules. Lines are read on demand, since most rules need few or none. */
export interface View {
  readonly title: string
  readonly shell: 'prompt' | 'running' | undefined
  /** The screen does not change right now, so it is worth searching for a menu. */
  readonly isSettled: boolean
  readonly lineCount: number
  /** A visible line without trailing blanks; 0 is the top line. */
  line(index: number): string
}

export interface ScreenReading {
  readonly is: 'working' | 'waiting' | 'idle'
  readonly reason?: string | undefined
  /** In its title an agent reports about itself. */
  readonly source: 'agent' | 'screen'
  readonly confidence: number
  /** The reason says more than the agent's own report. */
  readonly isReasonSpecific: boolean
}

export function classifyScreen(rules: ActivityRules | undefined, view: View): ScreenReading | undefined {
  return classifyByRules(rules?.rules ?? [], view) ?? classifyByMenu(view)
}

function classifyByMenu(view: View): ScreenReading | undefined {
  const menu = menuOf(view)
  if (!menu) return undefined
  const { question: reason } = menu
  return {
    is: 'waiting',
    source: 'screen',
    confidence: 0.7,
    isReasonSpecific: false,
    ...(reason !== undefined && { reason: short(reason) }),
  }
}

function classifyByRules(rules: readonly ActivityRule[], view: View): ScreenReading | undefined {
  const read = createReader(view)
  const meets = ({ region, pattern }: Condition) => pattern.test(read(region))
  const rule = rules.find(({ when }) => when.every(meets))
  if (!rule) return undefined
  const { is, confidence, when } = rule
  const source = when.every(({ region }) => region.is === 'osc_title') ? 'agent' : 'screen'
  return { is, source, confidence, ...reasonOf(rule, read) }
}

type Reader = (region: Region) => string

/** Builds the text of each region once for all rules. */
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
      return linesOf(view).join('\n')
    case 'menu': {
      const menu = menuOf(view)
      return menu ? [menu.question ?? '', ...menu.choices.map(({ label }) => label)].join('\n') : ''
    }
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

function menuOf(view: View): Menu | undefined {
  return view.isSettled ? findMenu(linesOf(view)) : undefined
}

function linesOf(view: View): readonly string[] {
  return Array.from({ length: view.lineCount }, (_, index) => view.line(index))
}

const maxReasonLength = 200

function short(reason: string): string {
  return reason.slice(0, maxReasonLength)
}

function reasonOf({ reasons }: ActivityRule, read: Reader): Pick<ScreenReading, 'reason' | 'isReasonSpecific'> {
  for (const { region, pattern, says, isGeneric } of reasons) {
    const caught = pattern.capture(read(region))
    if (!caught) continue
    const reason = short(says.replaceAll(/\{(\w+)\}/g, (_, name: string) => caught[name] ?? ''))
    return { reason, isReasonSpecific: !isGeneric }
  }
  return { isReasonSpecific: false }
}
