/** The person or agent that a token stands for. */
export interface Principal {
  readonly tokenId: string
  readonly role: Role
  /** Only for an agent: the session whose compositor it sees. */
  readonly session?: string
  readonly label?: string
  /** The toolsets to list if the request names none. */
  readonly toolsets?: readonly string[]
}

export type Role = 'human' | 'agent'
