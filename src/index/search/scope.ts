/** The files that a search is limited to, as the temporary table `scope` with the columns of `file` that it needs. */
import type { DatabaseSync } from 'node:sqlite'

export type PathFilter = (path: string) => boolean

export function setScope(database: DatabaseSync, filter: PathFilter | undefined): void {
  database.exec(`
    create temp table if not exists scope (document integer primary key, path text not null);
    delete from scope;
  `)
  const add = database.prepare('insert or ignore into temp.scope values (?, ?)')
  for (const { document, path } of database
    .prepare('select document, path from file where document is not null')
    .iterate()) {
    if (!filter || filter(String(path))) add.run(document!, path!)
  }
}
