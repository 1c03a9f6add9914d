/** The template of a session or a job to be created: the part on which its own arguments depend. */
import { resolve } from 'node:path'
import { z } from 'zod'
import { argumentLists } from '../../api/template.ts'
import { ask } from '../hub-client/ask-hub.ts'
import type { HubClient } from '../hub-client/hub-client.ts'

const listedTemplate = z.looseObject({
  name: z.string(),
  args: z.array(z.string()).optional(),
  working_dir: z.string().optional(),
})
export type ListedTemplate = z.output<typeof listedTemplate>
const templateList = z.looseObject({ templates: z.array(listedTemplate) })

export async function findTemplate(hub: HubClient, name: string | undefined): Promise<ListedTemplate | undefined> {
  if (name === undefined) return undefined
  const { templates } = templateList.parse(await ask(hub, 'list_templates', { hidden: true }))
  return templates.find((each) => each.name === name)
}

/** Whether the words after `--` are flags for an agent. */
export function takesAgentArgs(template: ListedTemplate | undefined): boolean {
  return template?.args?.includes(argumentLists.agentArgs) === true
}

/** `undefined` lets the hub choose: the template's directory, or a new one. */
export function chooseDirectory(dir: string | undefined, template: ListedTemplate | undefined): string | undefined {
  if (dir !== undefined) return resolve(dir)
  return template?.working_dir === undefined ? process.cwd() : undefined
}
