/** `signalbox policy edit` */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unifiedDiff } from '../base/unified-diff.ts'
import { agrees } from './agrees.ts'
import { ask, connectFrom } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import type { CliContext } from './command.ts'
import { defineCommand } from './command.ts'
import { hubFlags } from './common-flags.ts'
import type { HubConnection } from './hub-client.ts'
import { checkPolicy } from './policy-file.ts'
import type { PolicyOwner } from './policy-owner.ts'
import { nameOwner, ownerFlags, policyAnswer, readOwner } from './policy-owner.ts'
import { renderCounts, simulationAnswer } from './policy-simulation.ts'
import { runEditor } from './run-editor.ts'
import { shownLines } from './shown-lines.ts'
import { shownText } from './shown-text.ts'

export const command = defineCommand({
  about: [
    'Opens a policy in your editor (VISUAL, EDITOR, or vi). When you leave it, the text is checked, and you see what it',
    'changes and what it would have decided otherwise of the last days; then it is saved, if you say so. What is broken',
    'goes back to the editor, if you like, and is never saved.',
  ].join('\n'),
  flags: {
    ...ownerFlags,
    yes: { short: 'y', about: 'save it without asking' },
    since: { takes: 'TIME', about: 'try it on the calls of this long (default: 7d)' },
    ...hubFlags,
  },
  examples: ['signalbox policy edit', 'signalbox policy edit --scope template --target codex'],
  async run(args, context) {
    const owner = readOwner(args)
    await using hub = await connectFrom(args, context)
    const { source, version } = policyAnswer.parse(await ask(hub, 'get_policy', { ...owner }))
    const directory = await mkdtemp(join(tmpdir(), 'signalbox-policy-'))
    const file = join(directory, `${owner.target ?? 'hub'}.yaml`)
    await writeFile(file, source, { mode: 0o600 })
    try {
      const edited = await editUntilGood(file, context)
      if (edited === source) {
        context.err('Nothing was changed.')
      } else {
        await showEffect(hub, owner, { source, edited, since: args.text('since') ?? '7d' }, context)
        if (!args.has('yes') && !(await agrees('Save it?', context))) {
          throw new CliError('failed', 'Nothing was saved; with --yes it is saved without asking.')
        }
        const saved = policyAnswer.parse(
          await ask(hub, 'set_policy', { ...owner, source: edited, if_version: version }),
        )
        context.err(`${nameOwner(owner)} is at version ${saved.version}.`)
      }
      await rm(directory, { recursive: true })
      return 'ok'
    } catch (error) {
      context.err(`Your text is kept in ${file}.`)
      throw error
    }
  },
})

async function editUntilGood(file: string, context: CliContext): Promise<string> {
  for (;;) {
    await runEditor(file, await context.readEnvironment())
    const edited = await readFile(file, 'utf8')
    const check = await checkPolicy(edited)
    if (check.is === 'good') return edited
    context.err(shownText(check.fault))
    if (!(await agrees('Back to the editor?', context))) throw new CliError('failed', 'Nothing was saved.')
  }
}

async function showEffect(
  hub: HubConnection,
  owner: PolicyOwner,
  { source, edited, since }: { source: string; edited: string; since: string },
  context: CliContext,
): Promise<void> {
  const names = { before: `${nameOwner(owner)}, now`, after: 'as you wrote it' }
  context.out(shownLines(unifiedDiff(source, edited, names)))
  const simulation = simulationAnswer.parse(await ask(hub, 'simulate_policy', { ...owner, source: edited, since }))
  context.out(renderCounts(simulation))
}
