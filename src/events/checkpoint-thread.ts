/** The thread behind sqlite-checkpoint. All waiting for the disk happens here. */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { CheckpointReply } from './sqlite-checkpoint.ts'

const { path } = workerData as { path: string }
const database = new DatabaseSync(path, { timeout: 5_000 })
// Keep the write-ahead log at its size. If it had to grow again each time, the file system would stall the main thread.
database.exec('pragma synchronous = normal; pragma wal_autocheckpoint = 0; pragma journal_size_limit = -1')
const checkpoint = database.prepare('pragma wal_checkpoint(passive)')

function run(): void {
  checkpoint.get()
  // Any write restarts the write-ahead log. This one changes nothing.
  const version = Number(database.prepare('pragma user_version').get()?.['user_version'])
  database.exec(`pragma user_version = ${version}`)
}

parentPort?.on('message', () => {
  let reply: CheckpointReply = {}
  try {
    run()
  } catch (failed) {
    reply = { failed }
  }
  parentPort?.postMessage(reply)
})
