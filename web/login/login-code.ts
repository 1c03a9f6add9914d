/** Exchanges a one-time login code for a token. */
import { address } from '../app/address.ts'

interface LoginAnswer {
  readonly token: string
  readonly error?: { readonly message: string }
}

export async function exchangeCode(code: string): Promise<{ readonly token: string } | { readonly refused: string }> {
  try {
    const response = await fetch(address('login'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code }),
    })
    const answer = (await response.json()) as LoginAnswer
    return response.ok ? { token: answer.token } : { refused: answer.error?.message ?? 'The code was refused.' }
  } catch {
    return { refused: 'The hub does not answer. Open the link again.' }
  }
}
