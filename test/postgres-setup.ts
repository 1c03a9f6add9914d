/** Starts one PostgreSQL for the whole test run; tests take its address with `inject('postgresUrl')`. */
import type { TestProject } from 'vitest/node'
import { openStore } from '../src/store/store.ts'
import { createDatabase, startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
    /** A database that already has the tables. Copying it is faster than creating them. */
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
