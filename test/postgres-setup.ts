/** Starts one PostgreSQL for the whole test run; tests take its address with `inject('postgresUrl')`. */
import type { TestProject } from 'vitest/node'
import { openStore } from '../src/store/store.ts'
import { createDatabase, startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
    /** A database whose tables are there: a copy of it is made sooner than they are. */
    postgresTemplate: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres()
  project.provide('postgresUrl', server.url)
  const { url } = await createDatabase(server.url)
  await (await openStore({ databaseUrl: url }))[Symbol.asyncDispose]()
  project.provide('postgresTemplate', new URL(url).pathname.slice(1))
  return async () => server[Symbol.asyncDispose]()
}
