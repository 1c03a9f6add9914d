/** Starts one PostgreSQL for the whole test run; tests take its address with `inject('postgresUrl')`. */
import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres()
  project.provide('postgresUrl', server.url)
  return async () => server[Symbol.asyncDispose]()
}
