/** The thread behind sqlite-checkpoint: everything that waits for the disk happens here. */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { CheckpointReply, CheckpointRequest } from './sqlite-checkpoint.ts'

const { path } = workerData as { path: string }
const database = new DatabaseSync(path, { timeout: 5_000 })
// No limit would leave the write-ahead log at the largest size it ever had.
database.exec('pragma synchronous = normal; pragma wal_autocheckpoint = 0; pragma journal_size_limit = 0')
const checkpoint = database.prepare('pragma wal_checkpoint(passive)')

function run(request: CheckpointRequest): void {
  checkpoint.get()
  if (request === 'move-most') return
  // Any write begins the write-ahead log anew; this one changes nothing.
  const version = Number(database.prepare('pragma user_version').get()?.['user_version'])
  database.exec(`pragma user_version = ${version}`)
}

parentPort?.on('message', (request: CheckpointRequest) => {
  let reply: CheckpointReply
  try {
    run(request)
    reply = { done: request }
  } catch (failed) {
    reply = { failed }
  }
  parentPort?.postMessage(reply)
})
