import type { Environment } from '../../config/config.ts'
import { runProgram } from '../run-program.ts'
import { findingsAbout } from './finding.ts'
import type { Finding } from './finding.ts'

const { ok, note } = findingsAbout('agents')

const agentClis = [
  { program: 'codex', npmPackage: '@openai/codex' },
  { program: 'claude', npmPackage: '@anthropic-ai/claude-code' },
  { program: 'gemini', npmPackage: '@google/gemini-cli' },
  { program: 'opencode', npmPackage: 'opencode-ai' },
]

/** Gemini needs four seconds to say its version, on a machine with nothing else to do. */
export const versionTimeoutMs = 20_000

/** None of them has to be there, so none is ever broken. */
export function checkAgentClis(given: { env: Environment; timeoutMs: number }): Promise<Finding[]> {
  return Promise.all(agentClis.map((cli) => checkAgentCli(cli, given)))
}

async function checkAgentCli(
  { program, npmPackage }: (typeof agentClis)[number],
  { env, timeoutMs }: { env: Environment; timeoutMs: number },
): Promise<Finding> {
  // Not the whole environment: it may hold tokens, and these are other people's programs.
  const outcome = await runProgram(program, ['--version'], { env: { PATH: env['PATH'], HOME: env['HOME'] }, timeoutMs })
  const again = `install it again with "npm install -g ${npmPackage}"`
  switch (outcome.is) {
    case 'missing':
      return note(`${program} is not installed`, `"npm install -g ${npmPackage}", if you want to use it`)
    case 'timed-out':
      return note(
        `${program} did not say its version within ${timeoutMs / 1000} s`,
        `try "${program} --version", or ${again}`,
      )
    case 'failed':
      return note(`${program} cannot be started: ${outcome.reason}`, again)
    case 'ended': {
      const [version] = /\d+\.\d+\.\d+\S*/.exec(outcome.output) ?? []
      if (outcome.code === 0 && version !== undefined) return ok(`${program} ${version}`)
      const said = outcome.output.trim().split('\n')[0] || 'nothing'
      return note(`${program} --version ended with ${outcome.code} and said: ${said}`, again)
    }
  }
}
