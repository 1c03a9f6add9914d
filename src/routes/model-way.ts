/** A way that calls a model. */
import { actionPrompt } from '../api/action-prompt.ts'
import type { ModelWay } from '../api/route.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { ActionModels, Attempt, Candidate, WayCall } from './route.ts'

export function createModelCandidate({ model }: ModelWay, models: ActionModels): Candidate {
  const named = model === 'default' ? {} : { model }

  /** Returns a text with the reason if the model cannot be asked. */
  function findProvider(search: boolean): { readonly provider: string } | string {
    try {
      const { provider } = models.find(named.model)
      return search && !models.canSearch(named.model) ? `The provider ${provider} cannot search the web.` : { provider }
    } catch (error) {
      if (error instanceof HubError) return error.message
      throw error
    }
  }

  async function ask({ action, input, place, signal }: WayCall): Promise<Attempt> {
    const search = action === 'search_web'
    const found = findProvider(search)
    if (typeof found === 'string') return { is: 'unavailable', reason: found, isUnreachable: false }
    try {
      const request = { ...named, ...actionPrompt(action, input), ...(search && { search }), place, signal }
      const { text, provider, model: used, usage, sources = [] } = await models.generate(request)
      const whole = [text, ...sources.filter(({ url }) => !text.includes(url)).map(inWords)].join('\n')
      return { is: 'answered', text: whole, route: provider, model: used, ...(usage && { usage }) }
    } catch (error) {
      signal.throwIfAborted()
      const reason = messageOf(error)
      if (neverConnected(error)) return { is: 'unavailable', reason, isUnreachable: true }
      return { is: 'failed', reason, route: found.provider }
    }
  }

  return { name: `model ${model}`, key: `model ${model}`, ask }
}

function inWords({ url, title }: { readonly url: string; readonly title?: string | undefined }): string {
  return title === undefined ? `Source: ${url}` : `Source: ${title}, ${url}`
}

/** Codes of Node and undici for a connection that was never made. With any other error, the request may have been sent. */
const connectionFailures = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Providers' libraries wrap the error of the connection, some of them in a list of attempts. */
function neverConnected(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && typeof error.code === 'string' && connectionFailures.has(error.code)) return true
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0) {
    return error.errors.every(neverConnected)
  }
  return neverConnected(error.cause)
}
