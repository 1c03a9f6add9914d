/** The guides about agents work to the letter, with the real Claude Code and a scripted model. */
import { delimiter, dirname } from 'node:path'
import { expect, test } from 'vitest'
import { promptFor } from '../../src/peers/actions.ts'
import { createReader } from '../documents/newcomer.ts'
import type { Step } from '../documents/page-steps.ts'
import { readSteps } from '../documents/page-steps.ts'
import { readPage } from '../documents/pages.ts'
import { runSteps } from '../documents/run-steps.ts'
import { agentPrograms, agents, writeSettings } from './agents.ts'
import { startScriptedModel } from './model/model.ts'
import { describeWith } from './requires-agent.ts'

const claude = agents.find(({ name }) => name === 'claude')!

async function follow(steps: readonly Step[], scripts: Readonly<Record<string, string>>): Promise<void> {
  await using model = await startScriptedModel({ scripts })
  await using reader = await createReader()
  const { HOME = '', PATH = '' } = reader.env
  writeSettings(HOME, claude, model.origin)
  const env = {
    ...reader.env,
    ...claude.environment(model.origin),
    // For the built-in agent.
    OPENAI_API_KEY: 'dummy',
    OPENAI_BASE_URL: `${model.origin}/v1`,
    PATH: `${agentPrograms}${delimiter}${PATH}`,
    TMPDIR: dirname(HOME),
  }
  await runSteps(steps, { ...reader, env })
  expect(model.stalled).toBe(0)
}

describeWith(claude, () => {
  test('a reader talks to an agent from the shell, reads its thread and resumes it', async () => {
    await follow(readSteps(readPage('docs/guides/talk-to-agents.md')), {
      'What does this project do?': 'FINAL It runs agents, and puts their tool calls under a policy.',
      'Write a commit message.': 'FINAL docs: explain how to talk to agents',
      'What did I ask first?': 'FINAL What does this project do?',
    })
  })

  test('a reader lets one agent ask another, under the rules of both', async () => {
    const ask = (tool: string, args: object) => `CALL ${tool} ${JSON.stringify({ session: 'reviewer', ...args })}`
    const question = 'How should a parser report a bad line?'
    await follow(readSteps(readPage('docs/guides/agents-call-agents.md')), {
      'Ask the reviewer how a parser should report a bad line.': `${ask('sessions_code_advice', { text: question })}\nFINAL The reviewer says: with the number of the line.`,
      [promptFor('code_advice', question)]: 'FINAL With the number of the line.',
      'Let the reviewer list the files.': `${ask('sessions_ask', { text: 'List the files.' })}\nFINAL The reviewer may not: no commands today`,
      [promptFor('ask', 'List the files.')]: 'CALL Bash {"command":"ls","description":"Lists"}\nFINAL I may not.',
    })
  })

  test('a reader continues a thread with other models, and takes it to a file and back', async () => {
    await follow(readSteps(readPage('docs/guides/switch-provider.md')), {
      'Is the hub well?': 'CALL hub_status {}\nFINAL It is well.',
      'How do you know?': 'FINAL I called hub_status.',
      'Who are you now?': 'FINAL Another model, with the same thread.',
    })
  })

  test('a reader puts the own shell of an agent under the policy', async () => {
    await follow(readSteps(readPage('docs/guides/own-tools.md')), {
      'Which files are here?': 'CALL Bash {"command":"ls","description":"Lists"}\nFINAL None yet.',
      'Publish it.': 'CALL Bash {"command":"git push","description":"Pushes"}\nFINAL I may not push: people do that.',
      'Write a note.': 'CALL Write {"file_path":"note.md","content":"hello"}\nFINAL It is written.',
    })
  })
})
