/**
 * One-time login codes: a person makes one for another device, such as a phone, which exchanges it for a token of its
 * own. A code is valid once and for a few minutes. Only its hash is stored, so the look-up compares no secret.
 */
import { createDeadlines } from '../base/deadlines.ts'
import type { EventLog } from '../events/events.ts'
import type { Feature } from '../feature/feature.ts'
import type { Store } from '../store/store.ts'
import type { FindPageAddress, LoginCodes } from './login-code.ts'
import { createLoginCodeStore } from './login-code-store.ts'
import { createLoginCodeText, hashLoginCode, isLoginCodeText } from './login-code-text.ts'
import { createLoginProvider } from './login-tools.ts'
import type { Tokens } from './token.ts'

export interface LoginCodesOptions {
  readonly store: Store
  readonly tokens: Pick<Tokens, 'issue' | 'principalOf'>
  readonly events: Pick<EventLog, 'append'>
  readonly addressOf: FindPageAddress
  readonly now?: () => Date
  readonly elapsedMs?: () => number
}

const validMs = 5 * 60_000
const mostCodes = 10
const tokenLabel = 'phone login'
const tokenValidMs = 30 * 86_400_000

export function createLoginCodes(options: LoginCodesOptions): LoginCodes {
  const { store, tokens, events, addressOf, now = () => new Date() } = options
  const deadlines = createDeadlines({ now, elapsedMs: options.elapsedMs ?? (() => performance.now()) })
  const rows = createLoginCodeStore(store)

  const codes: Omit<LoginCodes, keyof Feature> = {
    async create(by) {
      const code = createLoginCodeText()
      const hash = hashLoginCode(code)
      const createdAt = now()
      const expiresAt = new Date(createdAt.getTime() + validMs).toISOString()
      await rows.insert({ hash, createdBy: by, createdAt: createdAt.toISOString(), expiresAt }, mostCodes)
      deadlines.forgetPassed()
      deadlines.begin(hash, expiresAt)
      return { code, expiresAt }
    },
    async exchange(code) {
      if (!isLoginCodeText(code)) return undefined
      const hash = hashLoginCode(code)
      const taken = await rows.take(hash)
      if (!taken) return undefined
      const isLate = deadlines.hasPassed(hash, taken.expiresAt)
      deadlines.forget(hash)
      if (isLate || !(await tokens.principalOf(taken.createdBy))) return undefined
      const issued = await tokens.issue({ role: 'human', label: tokenLabel, expiresInMs: tokenValidMs })
      await events.append({ type: 'login-used', payload: { token_id: issued.id, created_by: taken.createdBy } })
      return issued
    },
  }
  return { ...codes, providers: [createLoginProvider({ create: codes.create, addressOf })] }
}
