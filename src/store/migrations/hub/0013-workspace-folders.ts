import type { Migration } from '../migration.ts'

export const workspaceFolders: Migration = {
  name: '0013-workspace-folders',
  // JSON: the folder's real path, device and inode
  statements: [`alter table sessions add column workspace_folder text`],
}
