/** Whether an agent is told to ask about all its own tools. Only its calls show whether it obeys. */
import type { Governed } from '../../api/session.ts'
import type { Template } from '../../api/template.ts'
import { hasSystemPolicies, systemPolicies } from '../port/gemini-policies.ts'
import { recordOf } from './wire.ts'

export async function gateOf(template: Template | undefined): Promise<Governed> {
  switch (template?.agent) {
    case 'gemini':
      return geminiGate(template)
    case 'opencode':
      return opencodeGate(template)
    default:
      return { is: 'partly', reason: 'The hub does not know whether this agent asks about all its own tools.' }
  }
}

async function geminiGate({ args = [] }: Template): Promise<Governed> {
  if (!args.includes('--admin-policy')) return { is: 'no', reason: 'The template does not give it --admin-policy.' }
  if (!(await hasSystemPolicies())) return { is: 'yes' }
  return { is: 'partly', reason: `Gemini CLI follows ${systemPolicies} instead of the policy of its session.` }
}

function opencodeGate({ env }: Template): Governed {
  const { permission } = recordOf(parse(env['OPENCODE_CONFIG_CONTENT'] ?? ''))
  if (recordOf(permission)['*'] !== 'ask') {
    return { is: 'no', reason: 'The template does not tell opencode to ask about all its tools.' }
  }
  if (env['OPENCODE_DISABLE_PROJECT_CONFIG'] === '1') return { is: 'yes' }
  return { is: 'partly', reason: 'The settings of the project may loosen those of its session.' }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
