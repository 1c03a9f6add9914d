/** Decides which model is meant, from settings and the providers' usual variables. Pure. */
import { HubError } from '../base/hub-error.ts'
import type { ChosenModel, ProviderName } from './model.ts'

export interface ModelSettings {
  /** `provider/model`, or the name of a model of the server at `baseUrl`. */
  readonly model: string | undefined
  /** A server that speaks the Chat API of OpenAI. */
  readonly baseUrl: string | undefined
  readonly key: string | undefined
  readonly contextTokens: number | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
}

interface Provider {
  readonly keys: readonly string[]
  readonly baseUrl: string
  /** The version that follows the host. Variables of other programs leave it out. */
  readonly path?: string
  /** The newest of the provider's general models that the AI SDK knows. */
  readonly defaultModel: string
}

/** In the order in which they are tried if no model is set. */
const providers: Readonly<Record<Exclude<ProviderName, 'openai-compatible'>, Provider>> = {
  openai: { keys: ['OPENAI_API_KEY'], baseUrl: 'OPENAI_BASE_URL', defaultModel: 'gpt-6.1-sol' },
  anthropic: {
    keys: ['ANTHROPIC_API_KEY'],
    baseUrl: 'ANTHROPIC_BASE_URL',
    path: '/v1',
    defaultModel: 'claude-sonnet-5-5',
  },
  google: {
    keys: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY'],
    baseUrl: 'GOOGLE_GEMINI_BASE_URL',
    path: '/v1beta',
    defaultModel: 'gemini-3.8-flash',
  },
}
type NamedProvider = keyof typeof providers
const namedProviders = Object.keys(providers) as readonly NamedProvider[]

const keyNames = namedProviders.map((name) => providers[name].keys[0]).join(', ')
const howToSet = `Set one of ${keyNames} for the hub, or set SIGNALBOX_MODEL_BASE_URL and SIGNALBOX_MODEL to use a server such as Ollama or LM Studio. Then restart the hub.`

export function chooseModel(settings: ModelSettings, name?: string): ChosenModel {
  if (name !== undefined) return named(settings, name)
  const { model, baseUrl } = settings
  // The names of such a server may contain a slash.
  if (baseUrl !== undefined && model !== undefined) return compatible(settings, model)
  if (model !== undefined) return named(settings, model)
  if (baseUrl !== undefined) {
    throw unavailable('SIGNALBOX_MODEL_BASE_URL is set. Set SIGNALBOX_MODEL to the name of a model of that server too.')
  }
  const first = namedProviders.find((provider) => keyOf(settings, provider) !== undefined)
  if (first) return ofProvider(settings, first, providers[first].defaultModel)
  throw unavailable(`No model is configured. ${howToSet}`)
}

/** The keys of all providers, so that they can be hidden everywhere. */
export function keysIn(settings: Pick<ModelSettings, 'key' | 'environment'>): readonly string[] {
  const names = namedProviders.flatMap((provider) => providers[provider].keys)
  return [settings.key, ...names.map((name) => settings.environment[name])].filter((key) => key !== undefined)
}

function named(settings: ModelSettings, name: string): ChosenModel {
  const [prefix = '', ...rest] = name.split('/')
  const model = rest.join('/')
  if (prefix === 'openai-compatible' && model !== '') return compatible(settings, model)
  const provider = namedProviders.find((each) => each === prefix)
  if (provider && model !== '') return ofProvider(settings, provider, model)
  if (settings.baseUrl !== undefined) return compatible(settings, name)
  throw new HubError(
    'invalid',
    `"${name}" does not name a model. Write provider/model with one of ${namedProviders.join(', ')}, such as openai/${providers.openai.defaultModel}, or set SIGNALBOX_MODEL_BASE_URL to a server that has this model.`,
  )
}

function ofProvider(settings: ModelSettings, provider: NamedProvider, model: string): ChosenModel {
  const key = keyOf(settings, provider)
  const { keys, baseUrl, path = '' } = providers[provider]
  if (key === undefined) {
    throw unavailable(`The model ${provider}/${model} needs a key. Set ${keys[0]} for the hub and restart it.`)
  }
  const url = settings.environment[baseUrl]?.replace(/\/+$/, '')
  return {
    provider,
    model,
    name: `${provider}/${model}`,
    key,
    baseUrl: url === undefined || url === '' ? undefined : url.endsWith(path) ? url : `${url}${path}`,
    contextTokens: settings.contextTokens ?? contextOf(provider, model),
  }
}

function compatible({ baseUrl, key, contextTokens }: ModelSettings, model: string): ChosenModel {
  if (baseUrl === undefined) {
    throw unavailable(`The model openai-compatible/${model} needs a server. Set SIGNALBOX_MODEL_BASE_URL for the hub.`)
  }
  return {
    provider: 'openai-compatible',
    model,
    name: `openai-compatible/${model}`,
    key,
    baseUrl,
    contextTokens: contextTokens ?? contextOf('openai-compatible', model),
  }
}

function keyOf({ environment }: ModelSettings, provider: NamedProvider): string | undefined {
  return providers[provider].keys.map((name) => environment[name]).find((key) => key !== undefined && key !== '')
}

/** The known context size, or less: a conversation that is compacted early is slow, not broken. */
function contextOf(provider: ProviderName, model: string): number {
  switch (provider) {
    case 'openai':
      return /^gpt-(4\.1|[5-9])/.test(model) ? 272_000 : 128_000
    case 'anthropic':
      return 200_000
    case 'google':
      return 1_000_000
    case 'openai-compatible':
      return 32_000
  }
}

function unavailable(message: string): HubError {
  return new HubError('unavailable', message)
}
