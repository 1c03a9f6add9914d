/** `signalbox policy edit` */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unifiedDiff } from '../../base/unified-diff.ts'
import { confirm } from '../terminal-output/confirm.ts'
import { ask, openHubClient } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import type { CliContext } from '../command/command.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags } from '../command/common-flags.ts'
import type { HubClient } from '../hub-client/hub-client.ts'
import { checkPolicy } from './policy-file.ts'
import type { PolicyOwner } from './policy-owner.ts'
import { nameOwner, ownerFlags, policyAnswer, readOwner } from './policy-owner.ts'
import { renderCounts, simulationAnswer } from './policy-simulation.ts'
import { runEditor } from '../command/run-editor.ts'
import { visibleLines, visibleText } from '../terminal-output/visible-text.ts'

export const command = defineCommand({
  about: [
    'Opens a policy in your editor (VISUAL, EDITOR, or vi). When you quit the editor, the command checks the text and shows',
    'the changes and the recent calls that it would decide differently. It saves the policy if you confirm. You can edit an',
    'invalid policy again; it is never saved.',
  ].join('\n'),
  flags: {
    ...ownerFlags,
    yes: { short: 'y', about: 'save without asking' },
    since: { takes: 'TIME', about: 'try it on the calls since then (default: 7d)' },
    ...hubFlags,
  },
  examples: ['signalbox policy edit', 'signalbox policy edit --scope template --target codex'],
  async run(args, context) {
    const owner = readOwner(args)
    await assertCanEdit(context)
    using hub = await openHubClient(args, context)
    const { source, version } = policyAnswer.parse(await ask(hub, 'get_policy', { ...owner }))
    const directory = await mkdtemp(join(tmpdir(), 'signalbox-policy-'))
    const file = join(directory, `${owner.target ?? 'hub'}.yaml`)
    await writeFile(file, source, { mode: 0o600 })
    try {
      const edited = await editUntilValid(file, context)
      if (edited === source) {
        context.err('Nothing was changed.')
      } else {
        await showEffect(hub, owner, { source, edited, since: args.text('since') ?? '7d' }, context)
        if (!args.has('yes') && !(await confirm('Save the policy?', context))) {
          throw new CliError('failed', 'Nothing was saved. Add --yes to save without asking.')
        }
        const saved = policyAnswer.parse(
          await ask(hub, 'set_policy', { ...owner, source: edited, if_version: version }),
        )
        context.err(`Saved ${nameOwner(owner)} as version ${saved.version}.`)
      }
      await rm(directory, { recursive: true })
      return 'ok'
    } catch (error) {
      context.err(`Your text is kept in ${file}.`)
      throw error
    }
  },
})

/** An editor that the person chose may be a script. `vi` needs a terminal. */
async function assertCanEdit(context: CliContext): Promise<void> {
  const env = await context.readEnvironment()
  if (env['VISUAL'] || env['EDITOR'] || (process.stdin.isTTY && context.display())) return
  throw new CliError(
    'usage',
    'policy edit needs a terminal, but this is a pipe or a file. Use "signalbox policy save" with a file, or set EDITOR.',
  )
}

async function editUntilValid(file: string, context: CliContext): Promise<string> {
  for (;;) {
    await runEditor(file, await context.readEnvironment())
    const edited = await readFile(file, 'utf8')
    const check = await checkPolicy(edited)
    if (check.is === 'valid') return edited
    context.err(visibleText(check.fault))
    if (!(await confirm('Edit it again?', context))) throw new CliError('failed', 'Nothing was saved.')
  }
}

async function showEffect(
  hub: HubClient,
  owner: PolicyOwner,
  { source, edited, since }: { source: string; edited: string; since: string },
  context: CliContext,
): Promise<void> {
  const names = { before: `${nameOwner(owner)}, now`, after: 'your text' }
  context.out(visibleLines(unifiedDiff(source, edited, names)))
  const simulation = simulationAnswer.parse(await ask(hub, 'simulate_policy', { ...owner, source: edited, since }))
  context.out(renderCounts(simulation))
}
