/** `signalbox token revoke` */
import { z } from 'zod'
import { oneWord, toolCommand } from '../hub-client/tool-command.ts'

export const command = toolCommand({
  takes: '<id>',
  about: 'Revokes a token at once and ends the open streams of its users. "signalbox token list" shows the ids.',
  words: oneWord,
  examples: ['signalbox token revoke tok_7f3a'],
  tool: 'revoke_token',
  input: ({ words: [id] }) => ({ id }),
  answer: z.object({ id: z.string(), revoked_at: z.string() }),
  print: ({ id }) => `Revoked token ${id}.`,
})
