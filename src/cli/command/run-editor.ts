/** Opens a file in the person's editor and waits until they quit it. */
import { once } from 'node:events'
import { defined } from '../../base/defined.ts'
import { startProgram } from '../../base/start-program.ts'
import type { Environment } from '../../config/config.ts'
import { CliError } from './cli-error.ts'

export async function runEditor(file: string, env: Environment): Promise<void> {
  const editor = env['VISUAL'] || env['EDITOR'] || 'vi'
  // Uses a shell, because the setting may have arguments: "code --wait".
  const args = ['-c', `${editor} "$1"`, 'sh', file]
  const program = { file: '/bin/sh', args, cwd: process.cwd(), env: defined(env) }
  const child = startProgram(program, 'person', { stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code === 0) return
  throw new CliError(
    'failed',
    `The editor "${editor}" exited with ${code ?? 'a signal'}. Set EDITOR to an editor that works.`,
  )
}
