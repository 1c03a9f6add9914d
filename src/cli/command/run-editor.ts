/** Opens a file in the person's editor and waits until they quit it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Environment } from '../../config/config.ts'
import { CliError } from './cli-error.ts'

export async function runEditor(file: string, env: Environment): Promise<void> {
  const editor = env['VISUAL'] || env['EDITOR'] || 'vi'
  // Uses a shell, because the setting may have arguments: "code --wait".
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', env })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code === 0) return
  throw new CliError(
    'failed',
    `The editor "${editor}" exited with ${code ?? 'a signal'}. Set EDITOR to an editor that works.`,
  )
}
