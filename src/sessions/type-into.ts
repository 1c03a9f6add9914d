/** Typing into a session for those who know nothing of its program: what its template says of it is looked up. */
import { HubError } from '../base/hub-error.ts'
import type { Pattern } from '../terminal/terminal.ts'
import type { TemplateSource } from './launch.ts'
import { compilePasted } from './prompt.ts'
import type { RunningSessions } from './running.ts'
import type { SessionRecord } from './session-store.ts'
import type { Typed, TypeOptions } from './typing.ts'
import { type } from './typing.ts'

export type TypeInto = (
  record: SessionRecord,
  text: string,
  options: Pick<TypeOptions, 'enter' | 'signal'>,
) => Promise<Typed>

export interface TypeIntoOptions {
  readonly templates: Pick<TemplateSource, 'find'>
  readonly running: Pick<RunningSessions, 'terminalOf'>
}

export function createTypeInto({ templates, running }: TypeIntoOptions): TypeInto {
  /** `undefined`: the template is gone, or does not say. */
  async function pastedIn({ template }: SessionRecord): Promise<Pattern | undefined> {
    try {
      return await compilePasted(templates.find(template).template.prompt)
    } catch (error) {
      if (error instanceof HubError) return undefined
      throw error
    }
  }

  return async (record, text, options) =>
    type(await running.terminalOf(record), text, { ...options, pasted: await pastedIn(record) })
}
