/** Whether other people use this machine. Any of them can listen on a port that the hub has left. */
import { readdir, readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'

/** The folders with the homes of people, on Linux and on macOS. */
const homes = ['/home', '/Users']
const noPersons = new Set(['Shared', 'Guest', 'lost+found'])
const firstPersonId = 1_000
/** `nobody` and the ids after it do not belong to people. */
const lastPersonId = 60_000

/** True if that cannot be found out, since other people may be there. */
export async function isSharedMachine(): Promise<boolean> {
  try {
    if (hasOtherPeople(await readFile('/etc/passwd', 'utf8'), userInfo().uid)) return true
    const { username } = userInfo()
    const folders = (await Promise.all(homes.map(foldersIn))).flat()
    return folders.some((name) => name !== username && !name.startsWith('.') && !noPersons.has(name))
  } catch {
    return true
  }
}

/** Accounts that can log in, in the format of /etc/passwd. */
export function hasOtherPeople(accounts: string, ownId: number): boolean {
  return accounts.split('\n').some((line) => {
    const [, , id = '', , , , shell = ''] = line.split(':')
    const uid = Number(id)
    const isPerson = uid >= firstPersonId && uid < lastPersonId && !/(nologin|false)$/.test(shell)
    return isPerson && uid !== ownId
  })
}

async function foldersIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
