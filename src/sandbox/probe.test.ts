import { expect, test } from 'vitest'
import { whyNot } from './probe.ts'

const nothing = { appArmor: undefined, unprivileged: undefined, most: undefined, isContainer: false }
const said = 'bwrap: setting up uid map: Permission denied'

test('says for each obstacle what to do', () => {
  expect(whyNot(said, { ...nothing, appArmor: '1' })).toContain('/etc/apparmor.d/bwrap')
  expect(whyNot(said, { ...nothing, unprivileged: '0' })).toContain('sysctl -w kernel.unprivileged_userns_clone=1')
  expect(whyNot(said, { ...nothing, most: '0' })).toContain('sysctl -w user.max_user_namespaces=15000')
  expect(whyNot(said, { ...nothing, isContainer: true })).toContain('--security-opt seccomp=unconfined')
  expect(whyNot('bwrap: Unknown option --disable-userns', nothing)).toContain('bubblewrap 0.8')
  expect(whyNot(said, nothing)).toContain(said)
})
